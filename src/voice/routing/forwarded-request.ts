/** What the next party is told of a call that numbers have forwarded. Pure. */
import type { ForwardedCaller } from '../../numbers/forwarded-caller.js'
import type { CallRecord } from '../model/call-record.js'
import type { CommonRequest } from './dial-route.js'

/** RFC 4458 §2: the call was forwarded whatever the party did. */
const UNCONDITIONAL = 302

/** Writes a number as the party reads it: a SIP URI of its host, or a telephone URI. */
export type WriteNumber = (e164: string) => string

/**
 * The Diversion (RFC 5806), the last number first, and the History-Info (RFC 7044), the first one
 * first: each entry below the one that it was forwarded from. Nothing for a call that none forwarded.
 */
export function forwardingHeaders(
  { to, plan: { forwardedBy = [] } }: Pick<CallRecord, 'to' | 'plan'>,
  write: WriteNumber,
): Readonly<Record<string, string>> {
  const [first, ...others] = forwardedBy
  if (first === undefined) return {}
  const diversions = forwardedBy.map((e164) => `<${write(e164)}>;reason=unconditional`).reverse()
  const reached = to.startsWith('+') ? [...others, to] : others
  const history = [`<${write(first)}>;index=1`]
  let index = '1'
  for (const e164 of reached) {
    // RFC 7044 §5.2: `mp` has the index of the target that was mapped to this one.
    history.push(`<${write(e164)};cause=${String(UNCONDITIONAL)}>;index=${index}.1;mp=${index}`)
    index = `${index}.1`
  }
  return { Diversion: diversions.join(', '), 'History-Info': history.join(', ') }
}

/** The request with those headers. */
export function tellingForwarders(
  common: CommonRequest,
  call: Pick<CallRecord, 'to' | 'plan'>,
  write: WriteNumber,
): CommonRequest {
  if (call.plan.forwardedBy === undefined) return common
  return { ...common, headers: { ...common.headers, ...forwardingHeaders(call, write) } }
}

export function telephoneUri(e164: string): string {
  return `tel:${e164}`
}

/** The call and its request with the caller that the party is to be told of. */
export function shownForwarded(
  call: CallRecord,
  common: CommonRequest,
  shows: ForwardedCaller,
): { readonly call: CallRecord; readonly common: CommonRequest } {
  const forwarder = call.plan.forwardedBy?.at(-1)
  if (forwarder === undefined || shows === 'caller') return { call, common }
  // The Identity speaks of the caller from outside.
  const { Identity: _, ...headers } = common.headers ?? {}
  return {
    call: { ...call, from: forwarder },
    common: { ...common, headers, from: { user: forwarder } },
  }
}
