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
