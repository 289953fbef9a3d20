import type { JobHandlers } from '../jobs/jobs.js'
import { sendMessageJob } from '../jobs/messages.js'
import type { Core } from '../model/core.js'
import type { SendMessage } from '../model/ports.js'
import type { RegistryProvider } from '../providers/registry-provider.js'
import { findShare } from '../storage/shares.js'
import {
  type AuthPlusLinks,
  expireAuthPlusJob,
  expireAuthPlusMailJob,
  sendAuthPlusMailJob,
} from './brands/auth-plus.js'
import { noteOtpDelivery } from './brands/otp.js'
import { scoreBrandJob } from './brands/score-brand.js'
import { deleteMockBrandJob, renewCampaignJob } from './campaigns/campaign-life.js'
import type { Attachments } from './files/attachments.js'
import { acceptShare } from './sharing/share-chain.js'
import { upstreamJobs } from './sharing/upstream-jobs.js'
import { grantAppealJob } from './vettings/appeals.js'
import { expireVettingJob, scoreVettingJob } from './vettings/vettings.js'

export interface JobDeps {
  readonly provider: RegistryProvider
  readonly links: AuthPlusLinks
  readonly sendMessage: SendMessage
  readonly attachments: Pick<Attachments, 'ofCampaign'>
}

/** The handler of each kind of job. */
export function registryJobs(core: Core, deps: JobDeps): JobHandlers {
  return {
    'score-brand': scoreBrandJob(core, deps.provider),
    'send-auth-plus-mail': sendAuthPlusMailJob(core, deps.links),
    'expire-auth-plus-mail': expireAuthPlusMailJob(core),
    'expire-auth-plus': expireAuthPlusJob(core),
    'send-message': sendMessageJob(core, deps.sendMessage, (tx, reference, outcome) =>
      noteOtpDelivery(core, tx, reference, outcome),
    ),
    'renew-campaign': renewCampaignJob(core),
    'delete-mock-brand': deleteMockBrandJob(core),
    'score-vetting': scoreVettingJob(core),
    'expire-vetting': expireVettingJob(core),
    'grant-appeal': grantAppealJob(core),
    ...upstreamJobs(core, deps.provider.upstream, (campaignId) =>
      deps.attachments.ofCampaign(campaignId),
    ),
    'accept-share': {
      type: 'commit',
      run: async (tx, job) => {
        const share = await findShare(tx, Number(job.subject))
        if (share?.isCurrent === true) await acceptShare(core, tx, share)
      },
    },
  }
}
