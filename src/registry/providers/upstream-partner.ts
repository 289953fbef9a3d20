import type { OperationStatus } from '../model/ports.js'
import type { Brand } from '../storage/brands.js'
import type { Campaign } from '../storage/campaigns.js'
import type { UpstreamRefusal } from './registry-client.js'

export type ShareOutcome =
  | {
      readonly type: 'pending'
      /** Empty while the campaign is not registered there. */
      readonly upstreamCampaignId: string
      readonly sentFiles: readonly SentFile[]
    }
  | { readonly type: 'accepted'; readonly upstreamCampaignId: string; readonly by: string }
  | {
      readonly type: 'declined'
      readonly upstreamCampaignId: string
      readonly rejectionCategory: readonly string[]
      readonly explanation: string
    }

export interface SharedCampaign {
  readonly campaign: Campaign
  readonly brand: Brand
  /** The campaign's MMS samples and supporting documents. */
  readonly files: readonly CampaignFile[]
}

export interface CampaignFile {
  readonly uuid: string
  /** The file's identifier there; undefined until it is known. */
  readonly upstreamUuid: string | undefined
  /** The campaign there that the file was refused for. */
  readonly refusedBy: string | undefined
  readonly kind: 'mms' | 'document'
  readonly fileName: string
  readonly mimeType: string
  /** Resolves with undefined when the file is missing; rejects when it cannot be read at this moment. */
  readonly read: () => Promise<Buffer | undefined>
}

/** A file that the partner has now, with its identifiers here and there. */
export interface SentFile {
  readonly uuid: string
  readonly upstreamUuid: string
}

/** A file that the partner does not take, or that is missing here. */
export interface RefusedFile {
  readonly uuid: string
  readonly refusal: UpstreamRefusal
}

/** Outcome of a correction. */
export interface UpdateOutcome {
  readonly upstreamCampaignId: string
  /** The refusal of the campaign's texts and flags, if there is one. */
  readonly refusal: UpstreamRefusal | undefined
  readonly sentFiles: readonly SentFile[]
  readonly refusedFiles: readonly RefusedFile[]
}

/** A file that was deleted here. */
export interface RemovedFile {
  readonly kind: CampaignFile['kind']
  readonly fileName: string
  readonly upstreamUuid?: string | undefined
}

/** The brands of campaigns that were shared; a brand that is not there is left so. */
export interface UpstreamBrands {
  /** Brings the facts of the brand up to date. */
  update(brand: Brand, signal: AbortSignal): Promise<void>
  /** Brings the facts up to date, and has them judged there again. */
  revet(brand: Brand, signal: AbortSignal): Promise<void>
  remove(brand: Brand, signal: AbortSignal): Promise<void>
}

/** A connectivity partner in another system, reached through its registry API. */
export interface UpstreamPartner {
  /** The partner's CNP id: a campaign shared with this id goes there. */
  readonly cnpId: string
  readonly displayName: string
  /**
   * Registers brand and campaign there if they are not yet, shares the campaign, and resolves with
   * its standing.
   */
  share(shared: SharedCampaign, signal: AbortSignal): Promise<ShareOutcome>
  /**
   * Sends a correction of the campaign, and the files that the partner neither has nor has refused. What
   * is refused holds back nothing else.
   */
  update(shared: SharedCampaign, signal: AbortSignal): Promise<UpdateOutcome>
  /** Removes a file there; one that is not there is no failure. */
  removeFile(shared: SharedCampaign, file: RemovedFile, signal: AbortSignal): Promise<void>
  /** Takes the campaign back from one operator; one that does not have it is no failure. */
  withdraw(
    shared: SharedCampaign,
    mnoId: number,
    explanation: string,
    signal: AbortSignal,
  ): Promise<void>
  /** Submits the campaign to these operators again, by network ID. */
  resubmit(shared: SharedCampaign, mnoIds: readonly number[], signal: AbortSignal): Promise<void>
  nudge(
    shared: SharedCampaign,
    nudge: { readonly nudgeIntent: string; readonly description: string },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Resolves with the operators' decisions there, by network ID; `expired` when the campaign has
   * ended there.
   */
  operationStatus(
    shared: SharedCampaign,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, OperationStatus>> | 'expired'>
  deactivate(shared: SharedCampaign, signal: AbortSignal): Promise<void>
  readonly brands: UpstreamBrands
}
