/**
 * Writes SIP messages as a capture file that Wireshark opens: pcap with raw IP packets, each message in one
 * UDP datagram, also those that were sent over TCP or TLS. Pure.
 */
import { isIP, isIPv4 } from 'node:net'
import type { SipMessage } from './sip-messages.js'

const PCAP_MAGIC = 0xa1b2c3d4
const SNAP_LENGTH = 0x40000
/** LINKTYPE_RAW: the packet begins with its IPv4 or IPv6 header. */
const LINKTYPE_RAW = 101
const UDP = 17
const UDP_HEADER_BYTES = 8
/** A network for documentation (RFC 5737): a host that is only known by name gets an address of it. */
const NAMED_NETWORK = '192.0.2.'

const NOTE =
  'X-Trunkline-Note: rebuilt from the event log; other headers and the body were not stored'

interface End {
  readonly host: string
  readonly port: number
}

/** Returns the capture of the messages that crossed the network. */
export function pcapOf(messages: readonly SipMessage[]): Buffer {
  const header = Buffer.alloc(24)
  header.writeUInt32LE(PCAP_MAGIC, 0)
  header.writeUInt16LE(2, 4)
  header.writeUInt16LE(4, 6)
  header.writeUInt32LE(SNAP_LENGTH, 16)
  header.writeUInt32LE(LINKTYPE_RAW, 20)
  const names = new Map<string, string>()
  const sequences = new Map<string, number>()
  return Buffer.concat([
    header,
    ...messages.filter(crossedNetwork).flatMap((message) => {
      const peer = endOf(message.detail['peer'], names)
      const local = localEnd(message, peer, names)
      const text = message.full ?? messageText(message, { peer, local }, sequences)
      const [from, to] = message.isSent ? [local, peer] : [peer, local]
      return record(message.at, ipPacket(from, to, Buffer.from(text)))
    }),
  ])
}

/** False for a loopback call, and for a response that our own stack made. */
export function crossedNetwork({ detail }: SipMessage): boolean {
  return detail['peer'] !== undefined && detail['madeBy'] !== 'own-stack'
}

function record(at: number, packet: Buffer): readonly Buffer[] {
  const header = Buffer.alloc(16)
  header.writeUInt32LE(Math.floor(at / 1_000), 0)
  header.writeUInt32LE((at % 1_000) * 1_000, 4)
  header.writeUInt32LE(packet.length, 8)
  header.writeUInt32LE(packet.length, 12)
  return [header, packet]
}

function endOf(place: unknown, names: Map<string, string>): End {
  const { host, port } = (place ?? {}) as Partial<End> // As the server writes it.
  if (host === undefined || port === undefined) return { host: '127.0.0.1', port: 5060 }
  if (isIP(host) !== 0) return { host, port }
  const known = names.get(host) ?? `${NAMED_NETWORK}${String((names.size % 254) + 1)}`
  names.set(host, known)
  return { host: known, port }
}

/** Returns our end, of the same IP version as the peer's. */
function localEnd({ detail }: SipMessage, peer: End, names: Map<string, string>): End {
  const local = endOf(detail['local'], names)
  if (isIPv4(local.host) === isIPv4(peer.host)) return local
  return { host: isIPv4(peer.host) ? '127.0.0.1' : '::1', port: local.port }
}

/** Returns the message as text, with the headers that the event has and those that SIP requires. */
function messageText(
  { call, callId, detail, headers, isSent, text }: SipMessage,
  { peer, local }: { readonly peer: End; readonly local: End },
  sequences: Map<string, number>,
): string {
  const [word = ''] = text.split(' ')
  const isResponse = /^\d/.test(word)
  const cseq = sequenceOf(callId, isResponse ? undefined : word, headers['CSeq'], sequences)
  const uri = typeof detail['requestUri'] === 'string' ? detail['requestUri'] : `sip:${at(peer)}`
  const isOfUs = isSent !== isResponse
  // In a dialog's requests each side is the From of its own (RFC 3261 §12.2.1.1).
  const isForward = isOfUs === (call.direction !== 'inbound')
  const [from, to] = isForward ? [call.from, call.to] : [call.to, call.from]
  const transport = String((detail['peer'] as { readonly transport?: string }).transport)
  const { CSeq: _, ...others } = headers
  return [
    isResponse ? `SIP/2.0 ${text}` : `${word} ${uri} SIP/2.0`,
    `Via: SIP/2.0/${transport.toUpperCase()} ${at(isOfUs ? local : peer)};branch=z9hG4bK${branch(callId, cseq)}`,
    `From: <${uriOf(from)}>;tag=${isOfUs ? 'ours' : 'theirs'}`,
    `To: <${uriOf(to)}>`,
    `Call-ID: ${callId}`,
    `CSeq: ${cseq}`,
    ...Object.entries(others).map(([name, value]) => `${name}: ${value}`),
    NOTE,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
}

/** Returns the CSeq of the event, or else the next one of its dialog. */
function sequenceOf(
  callId: string,
  method: string | undefined,
  known: string | undefined,
  sequences: Map<string, number>,
): string {
  const last = sequences.get(callId) ?? 0
  const isSame = method === 'ACK' || method === 'CANCEL' || method === undefined
  const number = Number.parseInt(known ?? String(isSame ? Math.max(last, 1) : last + 1), 10)
  sequences.set(callId, number)
  return `${String(number)} ${method ?? known?.split(' ')[1] ?? 'INVITE'}`
}

/** Returns a branch that the messages of one transaction share. */
function branch(callId: string, cseq: string): string {
  const method = cseq.replace(/ (?:ACK|CANCEL)$/, ' INVITE')
  return Buffer.from(`${callId} ${method}`).toString('hex').slice(-32)
}

/** Returns a party of a call as a URI; a number gets a host that is never resolved. */
function uriOf(party: string): string {
  return /^(?:sips?|tel):/i.test(party) ? party : `sip:${encodeURIComponent(party)}@invalid`
}

function at({ host, port }: End): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`
}

function ipPacket(from: End, to: End, payload: Buffer): Buffer {
  const udp = Buffer.alloc(UDP_HEADER_BYTES)
  udp.writeUInt16BE(from.port, 0)
  udp.writeUInt16BE(to.port, 2)
  udp.writeUInt16BE(UDP_HEADER_BYTES + payload.length, 4)
  const [source, target] = [addressBytes(from.host), addressBytes(to.host)]
  const length = UDP_HEADER_BYTES + payload.length
  const pseudo = Buffer.from([0, UDP, length >> 8, length & 0xff])
  udp.writeUInt16BE(checksum(Buffer.concat([source, target, pseudo, udp, payload])) || 0xffff, 6)
  const header = source.length === 4 ? ipv4Header(length) : ipv6Header(length)
  const whole = Buffer.concat([header, source, target])
  if (source.length === 4) whole.writeUInt16BE(checksum(whole), 10)
  return Buffer.concat([whole, udp, payload])
}

function ipv4Header(length: number): Buffer {
  const header = Buffer.from([0x45, 0, 0, 0, 0, 0, 0, 0, 64, UDP, 0, 0])
  header.writeUInt16BE(20 + length, 2)
  return header
}

function ipv6Header(length: number): Buffer {
  const header = Buffer.from([0x60, 0, 0, 0, 0, 0, UDP, 64])
  header.writeUInt16BE(length, 4)
  return header
}

/** Returns the bytes of an IP address. */
function addressBytes(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from(host.split('.').map(Number))
  const [head = '', tail] = host.replace(/%.*$/, '').split('::')
  const groups = (text: string): string[] =>
    text
      .split(':')
      .filter((group) => group !== '')
      .flatMap((group) => {
        if (!isIPv4(group)) return [group]
        const hex = addressBytes(group).toString('hex')
        return [hex.slice(0, 4), hex.slice(4)]
      })
  const [before, after] = [groups(head), groups(tail ?? '')]
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const all = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('')
  return Buffer.from(all, 'hex')
}

/** Returns the Internet checksum (RFC 1071); an odd last byte counts as the upper half of a word. */
function checksum(bytes: Buffer): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000)
  return ~sum & 0xffff
}
