/** Describes the hop and the maker of a SIP event, as `logs` shows them. Pure. */

type Detail = Readonly<Record<string, unknown>>

/** Why our own stack made a response, by the event's `why`. */
const REASONS: Readonly<Record<string, string>> = {
  'no-address': 'the host has no address',
  'no-route': 'no route to the called party',
  refused: 'the connection was refused, or the network cannot reach it',
  timeout: 'no response came in time',
  'loopback-only': 'SIP_HOST is a loopback address and the peer is not',
}

/** What to do about a response that our own stack made, by the event's `why`. */
const OWN_REMEDIES: Readonly<Record<string, string>> = {
  'no-address': 'correct the host of the carrier, gateway or SIP URI',
  refused:
    'compare host and port with those of the peer: nothing listens there, or a firewall rejects',
  timeout:
    'compare host, port and transport with those of the peer: a firewall may drop the packets',
  'loopback-only': 'set SIP_HOST to an address that the peer can reach',
}

/** What to do about a final response of a peer. */
const PEER_REMEDIES: readonly (readonly [statuses: readonly number[], remedy: string])[] = [
  [
    [401, 407],
    'give the carrier `auth`, or the call SipAuthUsername and SipAuthPassword; given ones are wrong',
  ],
  [[403], 'ask the other side: the number, the caller ID or our address is not allowed there'],
  [
    [404, 410, 604],
    'the other side does not know the number: compare its form with `numberFormat` of the carrier',
  ],
  [
    [415, 488, 606],
    'compare `codecs` and `secureMedia` of the carrier with what the other side takes',
  ],
  [[420], 'the other side lacks an extension that we require; ask it which'],
  [[421], 'the other side requires an extension that we lack; ask it for a setting without it'],
  [
    [482, 483],
    'two servers send the call to one another: look for a number that is routed to its origin',
  ],
  [[484], 'the other side wants more digits: compare `numberFormat` and `prefixes` of the carrier'],
  [
    [500, 502, 503, 504],
    'the other side failed, is full or out of service; a second carrier with the same prefix is tried after it',
  ],
]

/** Returns what to do about a failed response; empty for other messages and where nothing is wrong. */
export function sipRemedy({ message, direction, madeBy, why }: Detail): string {
  if (madeBy === 'own-stack') return OWN_REMEDIES[String(why)] ?? ''
  if (madeBy !== 'peer' || direction !== 'received') return ''
  const status = Number.parseInt(String(message), 10)
  return PEER_REMEDIES.find(([statuses]) => statuses.includes(status))?.[1] ?? ''
}

/** Returns `udp 192.0.2.1:5060`; empty when the event has no such place. */
export function placeText(place: unknown): string {
  if (typeof place !== 'object' || place === null) return ''
  const { transport, host, port } = place as Detail
  const shown = String(host).includes(':') ? `[${String(host)}]` : String(host)
  return `${String(transport)} ${shown}:${String(port)}`
}

/** Returns the name of the carrier or gateway of a SIP event; empty without one. */
export function partyName({ carrier, gateway }: Detail): string {
  if (typeof carrier === 'string') return `carrier ${carrier}`
  return typeof gateway === 'string' ? `gateway ${gateway}` : ''
}

/** Returns the peer of an INVITE, as `  to udp 192.0.2.1:5060 (carrier acme)`; empty for other messages. */
export function hopText(detail: Detail): string {
  const place = detail['message'] === 'INVITE' ? placeText(detail['peer']) : ''
  if (place === '') return ''
  const name = partyName(detail)
  const way = detail['direction'] === 'sent' ? 'to' : 'from'
  return `  ${way} ${place}${name === '' ? '' : ` (${name})`}`
}

/** Returns who made a response when the peer did not; empty otherwise. */
export function makerText({ madeBy, why }: Detail): string {
  if (madeBy === 'own-server') return '  made by this server'
  if (madeBy !== 'own-stack') return ''
  return `  made by our own stack: ${REASONS[String(why)] ?? String(why)}`
}
