import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/process/temp-folder.js'
import { startTrunkline } from '../support/process/trunkline.js'
import { readCapture } from '../support/sip/tshark.js'
import { openUdpPeer } from '../support/sip/udp-peer.js'

const RESPONSE = '0123456789abcdef0123456789abcdef'
/** Chunks of HEP3 by their type. */
const CHUNK = {
  source: 3,
  target: 4,
  targetPort: 8,
  payloadType: 11,
  captureId: 12,
  sip: 15,
  id: 17,
}

/** The chunks of a packet by their type; throws for a packet that is not HEP3. */
function chunksOf(packet: Buffer): ReadonlyMap<number, Buffer> {
  expect(packet.subarray(0, 4).toString()).toBe('HEP3')
  expect(packet.readUInt16BE(4)).toBe(packet.length)
  const chunks = new Map<number, Buffer>()
  for (let at = 6; at < packet.length; at += packet.readUInt16BE(at + 4))
    chunks.set(
      packet.readUInt16BE(at + 2),
      packet.subarray(at + 6, at + packet.readUInt16BE(at + 4)),
    )
  return chunks
}

const textOf = (packet: Buffer): string => chunksOf(packet).get(CHUNK.sip)?.toString() ?? ''

/** A capture of raw IPv4 packets with one datagram of SIP's port in each. */
function captureOf(datagrams: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(24)
  head.writeUInt32LE(0xa1b2c3d4, 0)
  head.writeUInt16LE(2, 4)
  head.writeUInt16LE(4, 6)
  head.writeUInt32LE(65_535, 16)
  head.writeUInt32LE(101, 20)
  return Buffer.concat([
    head,
    ...datagrams.flatMap((bytes) => [recordHead(bytes), ipHead(bytes), bytes]),
  ])
}

function recordHead(bytes: Buffer): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32LE(bytes.length + 28, 8)
  head.writeUInt32LE(bytes.length + 28, 12)
  return head
}

/** The headers of IPv4 and UDP; a UDP checksum of 0 is none. */
function ipHead(bytes: Buffer): Buffer {
  const head = Buffer.from('4500000000000000401100007f0000017f000001' + '13c413c400000000', 'hex')
  head.writeUInt16BE(bytes.length + 28, 2)
  let sum = 0
  for (let at = 0; at < 20; at += 2) sum += head.readUInt16BE(at)
  head.writeUInt16BE(~((sum & 0xffff) + (sum >>> 16)) & 0xffff, 10)
  head.writeUInt16BE(bytes.length + 8, 24)
  return head
}

it('Homer gets a copy of each SIP message, without what proves who a party is', async () => {
  await using homer = await openUdpPeer()
  await using trunkline = await startTrunkline({
    HEP_ADDRESS: `127.0.0.1:${homer.port}`,
    HEP_CAPTURE_ID: '42',
  })
  await using stranger = await openUdpPeer()
  stranger.send(
    [
      `OPTIONS sip:127.0.0.1:${trunkline.sipPort} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${stranger.port};branch=z9hG4bKhep1;rport`,
      'From: <sip:bob@example.com>;tag=1',
      'To: <sip:alice@example.com>',
      'Call-ID: asked-by-hand',
      'CSeq: 1 OPTIONS',
      'Max-Forwards: 70',
      'Authorization: Digest username="bob", realm="x", nonce="y", uri="sip:x",',
      ` response="${RESPONSE}"`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
    trunkline.sipPort,
  )
  await trunkline.createCall({
    To: '+15005550001',
    From: '+15005550000',
    Markup: '<Response><Pause length="1"/></Response>',
  })
  const seen = (): readonly string[] =>
    homer.received.map((packet) => textOf(packet).split('\r\n')[0]?.split(' sip:')[0] ?? '')
  const wanted = ['OPTIONS', 'INVITE', 'SIP/2.0 180 Ringing', 'SIP/2.0 200 OK', 'ACK', 'BYE']
  const missing = () => wanted.filter((line) => !seen().includes(line))
  await expect.poll(missing, { timeout: 20_000, interval: 50 }).toEqual([])

  const asked = homer.received.find((packet) => textOf(packet).startsWith('OPTIONS'))
  const chunks = chunksOf(asked ?? Buffer.alloc(0))
  expect(chunks.get(CHUNK.source)).toEqual(Buffer.from([127, 0, 0, 1]))
  expect(chunks.get(CHUNK.target)).toEqual(Buffer.from([127, 0, 0, 1]))
  expect(chunks.get(CHUNK.targetPort)?.readUInt16BE()).toBe(trunkline.sipPort)
  expect(chunks.get(CHUNK.payloadType)).toEqual(Buffer.from([1]))
  expect(chunks.get(CHUNK.captureId)?.readUInt32BE()).toBe(42)
  expect(chunks.get(CHUNK.id)?.toString()).toBe('asked-by-hand')
  expect(textOf(asked ?? Buffer.alloc(0))).toContain('CSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\n')
  expect(Buffer.concat(homer.received).toString()).not.toMatch(/authorization|0123456789abcdef/i)

  using folder = tempFolder()
  const file = join(folder.path, 'hep.pcap')
  // Debian's tshark does not know HEP, so that it reads what is inside.
  const datagrams = homer.received.map((packet) => Buffer.from(textOf(packet)))
  writeFileSync(file, captureOf(datagrams))
  const read = await readCapture(file)
  expect(read.filter(({ callId }) => callId !== '')).toHaveLength(datagrams.length)
})
