import type { Core } from '../model/core.js'
import type { Services } from '../services/create-services.js'
import { assetOperations } from './asset-operations.js'
import { attachmentOperations } from './attachment-operations.js'
import { brandOperations } from './brand-operations.js'
import { campaignOperations } from './campaign-operations.js'
import { cspOperations } from './csp-operations.js'
import { enumOperations } from './enum-operations.js'
import { numberOperations } from './number-operations.js'
import type { RegistryOperation } from './operation.js'
import { resellerOperations } from './reseller-operations.js'
import { sharingOperations } from './sharing-operations.js'
import { tagOperations } from './tag-operations.js'
import { verificationOperations } from './verification-operations.js'
import { vettingOperations } from './vetting-operations.js'
import { webhookOperations } from './webhook-operations.js'

/** All operations of the API. The first one is served where two paths match. */
export function registryOperations(
  core: Core,
  services: Services,
  version: string,
): RegistryOperation[] {
  const { brands, campaigns, attachments } = services
  return [
    ...brandOperations(brands),
    ...verificationOperations(services.otps, services.resendAuthPlusMail),
    ...vettingOperations(services.vettings, attachments, brands),
    ...campaignOperations(campaigns, core.tables),
    ...sharingOperations(services.sharings),
    ...numberOperations(campaigns, services.numbers, core.tables),
    ...attachmentOperations(attachments, campaigns),
    ...assetOperations(services.assets),
    ...resellerOperations(services.resellers),
    ...tagOperations(services.tags),
    ...cspOperations(services.csps),
    ...webhookOperations(services.subscriptions, services.history, core.tables),
    ...enumOperations(core, version),
  ]
}
