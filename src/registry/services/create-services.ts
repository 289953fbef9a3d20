import { join } from 'node:path'
import type { Outbound } from '../../platform/http/outbound.js'
import type { Core } from '../core.js'
import type { CampaignNumbers, NumberSource } from '../ports.js'
import { findCspOfAccount } from '../storage/csps.js'
import { type Assets, createAssets } from './assets.js'
import { type Attachments, createAttachments } from './attachments.js'
import { resendAuthPlusMail } from './auth-plus.js'
import { type Brands, createBrands } from './brands.js'
import { type Campaigns, createCampaigns } from './campaigns.js'
import { type ContactConfirmation, createContactConfirmation } from './confirm-contact.js'
import { type Csps, createCsps } from './csps.js'
import { createHistory, type History } from './history.js'
import { anyNumber, createCampaignNumbers } from './numbers.js'
import { createRegistryOperator, type RegistryOperator } from './operator.js'
import { createOtps, type Otps } from './otp.js'
import { createResellers, type Resellers } from './resellers.js'
import { createSharings, type Sharings } from './sharings.js'
import { createSubscriptions, type Subscriptions } from './subscriptions.js'
import { createTags, type Tags } from './tags.js'
import { createVettings, type Vettings } from './vettings.js'

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
  readonly subscriptions: Subscriptions
  readonly history: History
  readonly operator: RegistryOperator
}

export interface ServiceDeps {
  readonly folder: string
  readonly outbound: Outbound
  readonly numberSource?: NumberSource
}

export function createServices(core: Core, deps: ServiceDeps): Services {
  const { numberSource = anyNumber } = deps
  return {
    csps: createCsps(core),
    brands: createBrands(core),
    campaigns: createCampaigns(core),
    sharings: createSharings(core),
    otps: createOtps(core),
    confirmation: createContactConfirmation(core),
    resendAuthPlusMail: async (cspId, brandId) => {
      await core.db.write((tx) => resendAuthPlusMail(core, tx, cspId, brandId))
      core.wake()
    },
    vettings: createVettings(core),
    assets: createAssets(core, deps.outbound, join(deps.folder, 'assets')),
    attachments: createAttachments(core, join(deps.folder, 'attachments')),
    resellers: createResellers(core),
    tags: createTags(core),
    numbers: createCampaignNumbers(
      core,
      numberSource,
      async (accountSid) => (await findCspOfAccount(core.db.read, accountSid))?.cspId,
    ),
    subscriptions: createSubscriptions(core, deps.outbound),
    history: createHistory(core),
    operator: createRegistryOperator(core),
  }
}
