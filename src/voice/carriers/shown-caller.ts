/** The headers that show the caller to a carrier (RFC 3261 §20.20, RFC 3325, RFC 3323). Pure. */
import type { DialCaller } from '../telephony/port.js'
import type { Carrier } from './carrier.js'
import { numberFor } from './number-format.js'

export interface ShownCaller {
  readonly from: DialCaller
  readonly headers: Readonly<Record<string, string>>
}

/** RFC 3323 §4.1.1.3: the From of a hidden caller. */
const ANONYMOUS: DialCaller = {
  user: 'anonymous',
  host: 'anonymous.invalid',
  displayName: 'Anonymous',
}

/** Returns the caller for a carrier, with the number in the header that the carrier expects. */
export function shownCaller(caller: DialCaller, carrier: Carrier): ShownCaller {
  const { callerId, numbers } = carrier.settings
  if (caller.user === 'anonymous') return { from: ANONYMOUS, headers: { Privacy: 'id' } }
  const number = numberFor(caller.user, numbers)
  const host = callerId.fromHost ?? caller.host
  if (callerId.header === 'From') return { from: { ...caller, user: number, host }, headers: {} }
  const user = callerId.fromUser ?? carrier.auth?.username ?? number
  const identity = identityOf({ ...caller, user: number }, callerId.fromHost ?? carrier.host)
  const value =
    callerId.header === 'P-Asserted-Identity' ? identity : `${identity};party=calling;privacy=off`
  return { from: { ...caller, user, host }, headers: { [callerId.header]: value } }
}

/** Returns the SIP URI of a number at a host. */
export function sipNumber(user: string, host: string): string {
  const place = host.includes(':') ? `[${host}]` : host
  return `sip:${encodeURIComponent(user).replaceAll('%2B', '+')}@${place}`
}

function identityOf({ user, displayName }: DialCaller, host: string): string {
  const uri = `<${sipNumber(user, host)}>`
  return displayName === undefined || displayName === ''
    ? uri
    : `"${displayName.replaceAll(/["\\]/g, String.raw`\$&`)}" ${uri}`
}
