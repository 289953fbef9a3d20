/** The policy for the caller IDs of an account's calls. */
import type { Account } from '../../accounts/accounts.js'

/** Resolves with true when the account holds the number or has verified it. */
export type HoldsCallerId = (accountSid: string, e164: string) => Promise<boolean>

/** The two ends of a call to be placed, and the incoming call that it continues, if any. */
export interface ShownCaller {
  readonly from: string
  readonly to: string
  /** The incoming call to one of the account's numbers; its caller may be shown again. */
  readonly continued?: { readonly from: string; readonly to: string } | undefined
}

/**
 * True when the account's policy allows the caller ID. A call to a SIP URI may show any name, since its host
 * decides whether to trust it.
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
