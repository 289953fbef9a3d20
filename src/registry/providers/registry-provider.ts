import type { Brand, FeedbackCategory } from '../storage/brands.js'
import type { UpstreamPartner } from './upstream-partner.js'

export type BrandOutcome =
  /** The decision is pending; the caller asks again later. */
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

/**
 * Decides about brands and forwards campaigns: this process's registry, or an upstream one. Every
 * call is idempotent and may be repeated after a crash. Rejects with an AdapterError when it cannot
 * answer now; the caller retries.
 */
export interface RegistryProvider {
  scoreBrand(brand: Brand, signal: AbortSignal): Promise<BrandOutcome>
  /** The upstream partner that this provider is; undefined for the embedded registry. */
  readonly upstream: UpstreamPartner | undefined
}
