import type { Core } from '../core.js'
import type { RegistryProvider } from '../providers/registry-provider.js'
import {
  type AuthPlusLinks,
  expireAuthPlusJob,
  expireAuthPlusMailJob,
  sendAuthPlusMailJob,
} from './auth-plus.js'
import type { JobHandlers } from './jobs.js'
import { type SendMessage, sendMessageJob } from './messages.js'
import { scoreBrandJob } from './score-brand.js'

export interface JobDeps {
  readonly provider: RegistryProvider
  readonly links: AuthPlusLinks
  readonly sendMessage: SendMessage
}

/** Every kind of job and what runs it. */
export function registryJobs(core: Core, deps: JobDeps): JobHandlers {
  return {
    'score-brand': scoreBrandJob(core, deps.provider),
    'send-auth-plus-mail': sendAuthPlusMailJob(core, deps.links),
    'expire-auth-plus-mail': expireAuthPlusMailJob(core),
    'expire-auth-plus': expireAuthPlusJob(core),
    'send-message': sendMessageJob(core, deps.sendMessage, () => Promise.resolve()),
  }
}
