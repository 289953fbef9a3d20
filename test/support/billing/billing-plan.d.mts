import type { CallTerms } from '../../../src/rating/rate.js'
import type { EndedCall } from '../../../src/rating/settle-call.js'

export const ACCOUNTS: readonly string[]
/** The money that each account begins with, in 1/10,000 dollar. */
export const FUNDS: number
/** The call of that number. */
export function callOf(index: number): EndedCall & { readonly terms: CallTerms }
