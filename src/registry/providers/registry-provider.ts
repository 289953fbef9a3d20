import type { Brand, FeedbackCategory } from '../storage/brands.js'
import type { UpstreamPartner } from './upstream-partner.js'

export type BrandOutcome =
  /** Asked again later. */
  | { readonly type: 'pending'; readonly upstreamBrandId: string }
  | {
      readonly type: 'scored'
      readonly identityStatus: 'SELF_DECLARED' | 'UNVERIFIED' | 'VERIFIED' | 'VETTED_VERIFIED'
      readonly universalEin: string | undefined
      readonly feedback: readonly FeedbackCategory[]
      readonly explanation: readonly string[]
      readonly upstreamBrandId?: string
    }
  | { readonly type: 'unsuccessful'; readonly explanation: readonly string[] }

export type ShareOutcome =
  | { readonly type: 'pending'; readonly upstreamCampaignId: string }
  | { readonly type: 'accepted'; readonly upstreamCampaignId: string; readonly by: string }
  | {
      readonly type: 'declined'
      readonly upstreamCampaignId: string
      readonly rejectionCategory: readonly string[]
      readonly explanation: string
    }

/**
 * Who decides about brands and carries campaigns: the registry in this process, or one upstream of
 * it. Every call may be repeated after a crash and must then come to the same. Rejects with an
 * AdapterError when it cannot say now; it is asked again.
 */
export interface RegistryProvider {
  scoreBrand(brand: Brand, signal: AbortSignal): Promise<BrandOutcome>
  /** The way up that this provider is, if any. */
  readonly upstream: UpstreamPartner | undefined
}
