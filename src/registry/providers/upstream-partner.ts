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
  /** The file's upstream identifier; undefined until it is known. */
  readonly upstreamUuid: string | undefined
  /** The upstream campaign for which the file was refused. */
  readonly refusedBy: string | undefined
  readonly kind: 'mms' | 'document'
  readonly fileName: string
  readonly mimeType: string
  /** Resolves with undefined when the file is missing; rejects when it cannot be read now. */
  readonly read: () => Promise<Buffer | undefined>
}

/** A file that the partner now has, with its local and upstream identifiers. */
export interface SentFile {
  readonly uuid: string
  readonly upstreamUuid: string
}

/** A file that the partner refuses, or that is missing here. */
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

/** The brands of shared campaigns; a brand that does not exist upstream is skipped. */
export interface UpstreamBrands {
  /** Updates the brand's facts upstream. */
  update(brand: Brand, signal: AbortSignal): Promise<void>
  /** Updates the brand's facts upstream and requests a new scoring there. */
  revet(brand: Brand, signal: AbortSignal): Promise<void>
  remove(brand: Brand, signal: AbortSignal): Promise<void>
}

/** A connectivity partner in another system, reached through its registry API. */
export interface UpstreamPartner {
  /** The partner's CNP id: campaigns shared with this id are forwarded to the partner. */
  readonly cnpId: string
  readonly displayName: string
  /**
   * Registers brand and campaign upstream if needed, shares the campaign, and resolves with its
   * state.
   */
  share(shared: SharedCampaign, signal: AbortSignal): Promise<ShareOutcome>
  /**
   * Sends a correction of the campaign, and the files that the partner neither has nor has refused.
   * A refused part does not block the others.
   */
  update(shared: SharedCampaign, signal: AbortSignal): Promise<UpdateOutcome>
  /** Removes a file upstream; a file that does not exist there is no failure. */
  removeFile(shared: SharedCampaign, file: RemovedFile, signal: AbortSignal): Promise<void>
  /** Withdraws the campaign from one operator; does nothing when the operator does not have it. */
  withdraw(
    shared: SharedCampaign,
    mnoId: number,
    explanation: string,
    signal: AbortSignal,
  ): Promise<void>
  /** Resubmits the campaign to these operators, by network ID. */
  resubmit(shared: SharedCampaign, mnoIds: readonly number[], signal: AbortSignal): Promise<void>
  nudge(
    shared: SharedCampaign,
    nudge: { readonly nudgeIntent: string; readonly description: string },
    signal: AbortSignal,
  ): Promise<void>
  /**
   * Resolves with the operators' upstream decisions, by network ID, or `expired` when the campaign
   * has ended there.
   */
  operationStatus(
    shared: SharedCampaign,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, OperationStatus>> | 'expired'>
  deactivate(shared: SharedCampaign, signal: AbortSignal): Promise<void>
  readonly brands: UpstreamBrands
}
