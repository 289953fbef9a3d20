import type { OperationStatus } from '../model/ports.js'
import type { Brand } from '../storage/brands.js'
import type { Campaign } from '../storage/campaigns.js'
import type { ShareOutcome } from './registry-provider.js'

export interface SharedCampaign {
  readonly campaign: Campaign
  readonly brand: Brand
  /** Its MMS samples and supporting documents. */
  readonly files: readonly CampaignFile[]
}

export interface CampaignFile {
  readonly kind: 'mms' | 'document'
  readonly fileName: string
  readonly mimeType: string
  read(): Promise<Buffer>
}

/** A connectivity partner in another system, reached through its registry API. */
export interface UpstreamPartner {
  /** Its CNP id: a campaign shared with this id goes there. */
  readonly cnpId: string
  readonly displayName: string
  /** Registers brand and campaign there when they are not yet, shares, and says how it stands. */
  share(shared: SharedCampaign, signal: AbortSignal): Promise<ShareOutcome>
  /** Brings a correction of the campaign there, and files that it did not have. */
  update(shared: SharedCampaign, signal: AbortSignal): Promise<void>
  nudge(
    shared: SharedCampaign,
    nudge: { readonly nudgeIntent: string; readonly description: string },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * What the operators have decided there, by network ID; `expired` when the campaign has ended
   * there.
   */
  operationStatus(
    shared: SharedCampaign,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, OperationStatus>> | 'expired'>
  deactivate(shared: SharedCampaign, signal: AbortSignal): Promise<void>
}
