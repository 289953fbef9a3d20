import { isIP } from 'node:net'
import { isLoopback } from '../../../platform/cidr.js'
import { parseUri } from '../../../platform/sip-grammar/uri.js'
import type { SipPlace, SipStep } from '../port.js'
import { bounded, MAX_TEXT_CHARS, MAX_URI_CHARS } from '../signaling/headers.js'

/** The parts of a message that the event log shows. A message that we compose has only headers. */
interface Message {
  get?: (name: string) => string | undefined
  /** The Request-URI. */
  readonly uri?: string
  /** Where drachtio received the message; an empty address means that drachtio made it. */
  readonly source_address?: string
  readonly source_port?: number | string
  readonly protocol?: string
}

/** The facts of a leg that complete its steps. */
interface StepFacts {
  readonly callId: string
  /** The next hop; undefined for a loopback call. */
  readonly peer: SipPlace | undefined
  /** The Request-URI of a request that we send. */
  readonly uri: string | undefined
  /** Our SIP listener of that transport; undefined when the server has none. */
  readonly listener: (transport: string) => SipPlace | undefined
}

/** Headers shown in the event log. They distinguish similar messages, or explain a refusal. */
const SHOWN = ['CSeq', 'Reason', 'Warning', 'Retry-After', 'Refer-To', 'Subscription-State']

/** Returns a message as the event log shows it: its first line and the headers in `SHOWN`. */
export function sipStep(
  direction: SipStep['direction'],
  text: string,
  message: Message = {},
): SipStep {
  const { uri } = message
  return {
    direction,
    message: bounded(text, MAX_TEXT_CHARS),
    headers: shownHeaders(message),
    ...(uri !== undefined && !isResponse(text) && { requestUri: bounded(uri, MAX_URI_CHARS) }),
    ...(direction === 'received' && sourceOf(text, message)),
  }
}

function shownHeaders(message: Message): SipStep['headers'] {
  const headers: Record<string, string> = {}
  for (const name of SHOWN) {
    const value = message.get?.(name)
    if (value !== undefined) headers[name] = bounded(value, MAX_TEXT_CHARS)
  }
  return Object.keys(headers).length > 0 ? headers : undefined
}

/** Returns where a received message came from; drachtio's own responses have no address. */
function sourceOf(
  text: string,
  { source_address: host, source_port: port, protocol: transport = 'udp' }: Message,
): Pick<SipStep, 'peer' | 'madeBy'> {
  if (host === undefined) return {}
  const madeBy = host === '' ? 'own-stack' : 'peer'
  return {
    ...(host !== '' && { peer: { transport, host, port: Number(port) } }),
    ...(isFinal(text) && { madeBy }),
  }
}

/** Returns a response as a step of the event log, such as `180 Ringing`. */
export function responseStep(
  direction: SipStep['direction'],
  response: Message & { readonly status: number; readonly reason: string },
): SipStep {
  return sipStep(direction, `${String(response.status)} ${response.reason}`.trim(), response)
}

/** Returns the step with its leg's facts, and with the maker of a final response that was received. */
export function completeStep(step: SipStep, facts: StepFacts): SipStep {
  const peer = step.peer ?? facts.peer
  const local = peer && facts.listener(peer.transport)
  const requestUri =
    step.requestUri ?? (isRequestOfOurs(step) ? bounded(facts.uri ?? '', MAX_URI_CHARS) : '')
  return {
    ...step,
    callId: facts.callId,
    ...(peer !== undefined && { peer }),
    ...(local !== undefined && { local }),
    ...(requestUri !== '' && { requestUri }),
    ...(step.direction === 'received' && isFinal(step.message) && makerOf(step, peer, local)),
  }
}

/** Returns the place that a URI names; undefined for a URI without a host. */
export function placeOfUri(uri: string): SipPlace | undefined {
  const { scheme, host = '', params = {}, port } = parseUri(uri) ?? {}
  if (host === '') return undefined
  const transport = scheme === 'sips' ? 'tls' : (params['transport']?.toLowerCase() ?? 'udp')
  return {
    transport,
    // A maddr parameter overrides the host (RFC 3261 §19.1.1).
    host: (params['maddr'] ?? host).replace(/^\[(.*)\]$/, '$1'),
    port: port ?? (transport === 'tls' ? 5061 : 5060),
  }
}

/** True for a request of ours, whose Request-URI and next hop are the leg's. */
export function isRequestOfOurs({ direction, message }: SipStep): boolean {
  return direction === 'sent' && !isResponse(message)
}

function makerOf(
  { madeBy, message }: SipStep,
  peer: SipPlace | undefined,
  local: SipPlace | undefined,
): Pick<SipStep, 'madeBy' | 'why'> {
  if (madeBy === 'own-stack') return { madeBy, why: whyLocal(message, peer, local) }
  const isOurs = peer === undefined || (peer.host === local?.host && peer.port === local.port)
  return { madeBy: isOurs ? 'own-server' : 'peer' }
}

/**
 * Returns why our own stack made a final response. It makes a 408 when no response came in time (RFC 3261
 * §17.1.1.2), and a 503 when the request could not be delivered (§8.1.3.1).
 */
function whyLocal(
  message: string,
  peer: SipPlace | undefined,
  local: SipPlace | undefined,
): NonNullable<SipStep['why']> {
  if (message.startsWith('408')) return 'timeout'
  if (/^503 DNS/i.test(message)) return 'no-address'
  if (peer !== undefined && isIP(peer.host) === 0) return 'no-address'
  const isFar = peer !== undefined && !isLoopback(peer.host)
  if (isFar && local !== undefined && isLoopback(local.host)) return 'loopback-only'
  return 'refused'
}

function isResponse(text: string): boolean {
  return /^[1-6]\d\d\b/.test(text)
}

function isFinal(text: string): boolean {
  return /^[2-6]\d\d\b/.test(text)
}
