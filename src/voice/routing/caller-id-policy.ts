/** The numbers that an account's calls may show as their caller ID. */
import type { Account } from '../../accounts/accounts.js'

/** Resolves with true when the number is the account's, or one that the account has verified. */
export type HoldsCallerId = (accountSid: string, e164: string) => Promise<boolean>

/** The two ends of a call that is to be placed, and the incoming call that it continues, if any. */
export interface ShownCaller {
  readonly from: string
  readonly to: string
  /** The incoming call to one of the account's numbers: its caller may be shown onwards. */
  readonly continued?: { readonly from: string; readonly to: string } | undefined
}

/**
 * Judges a caller ID by the policy of the account. A call to a SIP URI may show any name, since its
 * host decides what it believes.
 */
export async function mayShow(
  { sid, settings }: Account,
  { from, to, continued }: ShownCaller,
  holds: HoldsCallerId,
): Promise<boolean> {
  if ((settings.callerIds ?? 'any') === 'any' || /^sips?:/.test(to)) return true
  if (continued !== undefined && (from === continued.from || from === continued.to)) return true
  return await holds(sid, from)
}
