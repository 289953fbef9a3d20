/** How a forwarded call is shown to its next party. Pure. */
import type { ForwardedCaller } from '../../numbers/forwarded-caller.js'
import type { CallRecord } from '../model/call-record.js'
import type { CommonRequest } from './dial-route.js'

/** RFC 4458 §2: the call was forwarded unconditionally. */
const UNCONDITIONAL = 302

/** Writes a number for the party: as a SIP URI of its host, or as a telephone URI. */
export type WriteNumber = (e164: string) => string

/**
 * Returns Diversion (RFC 5806), last forwarder first, and History-Info (RFC 7044), first forwarder first,
 * each entry a child of the one that it was forwarded from. Empty for a call that was not forwarded.
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
    // RFC 7044 §5.2: `mp` has the index of the entry that was mapped to this one.
    history.push(`<${write(e164)};cause=${String(UNCONDITIONAL)}>;index=${index}.1;mp=${index}`)
    index = `${index}.1`
  }
  return { Diversion: diversions.join(', '), 'History-Info': history.join(', ') }
}

/** Returns the request with the forwarding headers. */
export function withForwardingHeaders(
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

/** Returns the call and its request with the caller that the party must see. */
export function shownForwarded(
  call: CallRecord,
  common: CommonRequest,
  shows: ForwardedCaller,
): { readonly call: CallRecord; readonly common: CommonRequest } {
  const forwarder = call.plan.forwardedBy?.at(-1)
  if (forwarder === undefined || shows === 'caller') return { call, common }
  // The Identity is about the caller from outside.
  const { Identity: _, ...headers } = common.headers ?? {}
  return {
    call: { ...call, from: forwarder },
    common: { ...common, headers, from: { user: forwarder } },
  }
}
