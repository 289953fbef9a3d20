import type { CallTerms } from '../../../src/rating/rate.js'
import type { EndedCall } from '../../../src/rating/settle-call.js'

export const ACCOUNTS: readonly string[]
/** Initial balance of each account, in 1/10,000 dollar. */
export const FUNDS: number
/** The call with this index. */
export function callOf(index: number): EndedCall & { readonly terms: CallTerms }
