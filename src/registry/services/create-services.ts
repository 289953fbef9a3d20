import { join } from 'node:path'
import type { KeepFiles } from '../../platform/files/kept-files.js'
import type { Outbound } from '../../platform/http/outbound.js'
import type { SignatureHeader } from '../../platform/outbox/signed-event.js'
import type { Core } from '../model/core.js'
import type { CampaignNumbers, MessagingRecords, NumberSource } from '../model/ports.js'
import { findCspOfAccount } from '../storage/csps.js'
import { resendAuthPlusMail } from './brands/auth-plus.js'
import { type Brands, createBrands } from './brands/brands.js'
import { type ContactConfirmation, createContactConfirmation } from './brands/confirm-contact.js'
import { createOtps, type Otps } from './brands/otp.js'
import { type Campaigns, createCampaigns } from './campaigns/campaigns.js'
import { createMessagingRecords } from './campaigns/messaging-records.js'
import { anyNumber, createCampaignNumbers } from './campaigns/numbers.js'
import { type Csps, createCsps } from './csps/csps.js'
import { createHistory, type History } from './csps/history.js'
import { createResellers, type Resellers } from './csps/resellers.js'
import { createSubscriptions, type Subscriptions } from './csps/subscriptions.js'
import { createTags, type Tags } from './csps/tags.js'
import { type Assets, createAssets } from './files/assets.js'
import { type Attachments, createAttachments } from './files/attachments.js'
import { createRegistryOperator, type RegistryOperator } from './operator.js'
import { createSharings, type Sharings } from './sharing/sharings.js'
import { createVettings, type Vettings } from './vettings/vettings.js'

export interface Services {
  readonly csps: Csps
  readonly brands: Brands
  readonly campaigns: Campaigns
  readonly sharings: Sharings
  readonly otps: Otps
  readonly confirmation: ContactConfirmation
  readonly resendAuthPlusMail: (cspId: string, brandId: string) => Promise<void>
  readonly vettings: Vettings
  readonly assets: Assets
  readonly attachments: Attachments
  readonly resellers: Resellers
  readonly tags: Tags
  readonly numbers: CampaignNumbers
  readonly messaging: MessagingRecords
  readonly subscriptions: Subscriptions
  readonly history: History
  readonly operator: RegistryOperator
}

export interface ServiceDeps {
  readonly folder: string
  readonly keepFiles: KeepFiles
  readonly outbound: Outbound
  /** The headers with an event's signature. */
  readonly signatures: readonly SignatureHeader[]
  readonly numberSource?: NumberSource
}

export function createServices(core: Core, deps: ServiceDeps): Services {
  const { keepFiles, numberSource = anyNumber } = deps
  const cspIdOf = async (accountSid: string) =>
    (await findCspOfAccount(core.db.read, accountSid))?.cspId
  return {
    csps: createCsps(core),
    brands: createBrands(core),
    campaigns: createCampaigns(core),
    sharings: createSharings(core),
    otps: createOtps(core),
    confirmation: createContactConfirmation(core),
    resendAuthPlusMail: async (cspId, brandId) => {
      await core.commit((tx) => resendAuthPlusMail(core, tx, cspId, brandId))
    },
    vettings: createVettings(core),
    assets: createAssets(core, deps.outbound, {
      folder: join(deps.folder, 'assets'),
      keepFiles,
    }),
    attachments: createAttachments(core, join(deps.folder, 'attachments'), keepFiles),
    resellers: createResellers(core),
    tags: createTags(core),
    numbers: createCampaignNumbers(core, numberSource, cspIdOf),
    messaging: createMessagingRecords(core, cspIdOf),
    subscriptions: createSubscriptions(core, deps),
    history: createHistory(core),
    operator: createRegistryOperator(core),
  }
}
