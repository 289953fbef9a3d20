/** Writes HEP3 packets (Homer Encapsulation Protocol, version 3): copies of SIP messages for Homer. Pure. */
import ipaddr from 'ipaddr.js'
import type { SipPeer } from '../sip/model/stack-types.js'

export interface CapturedMessage {
  readonly bytes: Buffer
  readonly from: SipPeer
  readonly to: SipPeer
  /** Epoch milliseconds. */
  readonly at: number
}

/** Types of chunks, and values of some, of the vendor 0 (HEP3 specification, revision 11 and later). */
const CHUNK = {
  family: 1,
  protocol: 2,
  source4: 3,
  target4: 4,
  source6: 5,
  target6: 6,
  sourcePort: 7,
  targetPort: 8,
  seconds: 9,
  microseconds: 10,
  payloadType: 11,
  captureId: 12,
  payload: 15,
  correlationId: 17,
} as const
const FAMILY = { ipv4: 2, ipv6: 10 } as const
const PROTOCOL = { udp: 17, tcp: 6, tls: 6 } as const
const SIP = 1

const HEAD_BYTES = 6
/** The largest datagram of UDP over IPv4. */
const MAX_PACKET_BYTES = 65_507

const CREDENTIALS = /^(proxy-)?authorization\s*:/i

/**
 * Returns the packet; undefined for a message that does not fit into one, and for one to an address or port that
 * a peer made up.
 */
export function hepPacket(message: CapturedMessage, captureId: number): Buffer | undefined {
  const { from, to, at } = message
  if (!isPlace(from) || !isPlace(to)) return undefined
  const [source, target] = [ipaddr.process(from.address), ipaddr.process(to.address)]
  const isV6 = source.kind() === 'ipv6'
  const payload = withoutCredentials(message.bytes)
  const callId = callIdOf(payload)
  const chunks = [
    chunk(CHUNK.family, number(1, FAMILY[source.kind()])),
    chunk(CHUNK.protocol, number(1, PROTOCOL[from.transport])),
    chunk(isV6 ? CHUNK.source6 : CHUNK.source4, Buffer.from(source.toByteArray())),
    chunk(isV6 ? CHUNK.target6 : CHUNK.target4, Buffer.from(target.toByteArray())),
    chunk(CHUNK.sourcePort, number(2, from.port)),
    chunk(CHUNK.targetPort, number(2, to.port)),
    chunk(CHUNK.seconds, number(4, Math.floor(at / 1_000))),
    chunk(CHUNK.microseconds, number(4, Math.floor(at % 1_000) * 1_000)),
    chunk(CHUNK.payloadType, number(1, SIP)),
    chunk(CHUNK.captureId, number(4, captureId)),
    ...(callId === undefined ? [] : [chunk(CHUNK.correlationId, Buffer.from(callId))]),
  ]
  const length = chunks.reduce((sum, { length: bytes }) => sum + bytes, 2 * HEAD_BYTES)
  if (length + payload.length > MAX_PACKET_BYTES) return undefined
  const head = Buffer.concat([Buffer.from('HEP3'), number(2, length + payload.length)])
  return Buffer.concat([head, ...chunks, chunk(CHUNK.payload, payload)])
}

function isPlace({ address, port }: SipPeer): boolean {
  return ipaddr.isValid(address) && Number.isInteger(port) && port >= 0 && port <= 65_535
}

function chunk(type: number, value: Buffer): Buffer {
  return Buffer.concat([number(2, 0), number(2, type), number(2, HEAD_BYTES + value.length), value])
}

function number(bytes: 1 | 2 | 4, value: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/** Removes the headers that prove who a party is, their continuation lines included. */
function withoutCredentials(bytes: Buffer): Buffer {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return bytes
  // Latin-1 keeps every byte.
  const head = bytes.subarray(0, end).toString('latin1')
  const kept = head.split(/\r\n(?![ \t])/).filter((line) => !CREDENTIALS.test(line))
  return Buffer.concat([Buffer.from(kept.join('\r\n'), 'latin1'), bytes.subarray(end)])
}

function callIdOf(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, Math.max(0, bytes.indexOf('\r\n\r\n'))).toString('utf8')
  return /^(?:call-id|i)[ \t]*:[ \t]*(\S+)/im.exec(head)?.[1]
}
