import type { Core } from '../model/core.js'
import type { Services } from '../services/create-services.js'
import { brandOperations } from './brands/brand-operations.js'
import { verificationOperations } from './brands/verification-operations.js'
import { vettingOperations } from './brands/vetting-operations.js'
import { campaignOperations } from './campaigns/campaign-operations.js'
import { numberOperations } from './campaigns/number-operations.js'
import { cspOperations } from './csps/csp-operations.js'
import { resellerOperations } from './csps/reseller-operations.js'
import { tagOperations } from './csps/tag-operations.js'
import { webhookOperations } from './csps/webhook-operations.js'
import type { RegistryOperation } from './dialect/operation.js'
import { enumOperations } from './enum-operations.js'
import { assetOperations } from './files/asset-operations.js'
import { attachmentOperations } from './files/attachment-operations.js'
import { sharingOperations } from './sharing/sharing-operations.js'

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
