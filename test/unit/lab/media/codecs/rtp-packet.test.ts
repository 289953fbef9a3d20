import { expect, it } from 'vitest'
import {
  type RtcpReading,
  readRtcp,
  writeReport,
} from '../../../../../src/lab/media/codecs/rtcp-packet.js'
import {
  createRtpHeader,
  readRtpPacket,
  sequenceDistance,
  timestampDistance,
  writeRtpHeader,
} from '../../../../../src/lab/media/codecs/rtp-packet.js'
import { seeded } from '../../../../support/media/seeded.js'

const HEAD = '8000 1234 89abcdef 01020304'
const bytes = (hex: string) => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex')

it.each<[string, string, [number, number] | undefined]>([
  ['a plain packet', `${HEAD} ffff`, [12, 14]],
  ['no payload', HEAD, [12, 12]],
  ['one contributing source', `8100${HEAD.slice(4)} 0a0b0c0d ff`, [16, 17]],
  ['an extension of one word', `9000${HEAD.slice(4)} bede0001 00000000 ff`, [20, 21]],
  ['padding of two', `a000${HEAD.slice(4)} ffff 0002`, [12, 14]],
  ['one byte', '80', undefined],
  ['a header cut short', HEAD.slice(0, -2), undefined],
  ['version 1', `4000${HEAD.slice(4)} ff`, undefined],
  ['version 3', `c000${HEAD.slice(4)} ff`, undefined],
  ['more contributing sources than bytes', `8f00${HEAD.slice(4)} ff`, undefined],
  ['an extension without its length', `9000${HEAD.slice(4)} be`, undefined],
  ['an extension longer than the packet', `9000${HEAD.slice(4)} bedeffff 00`, undefined],
  ['padding longer than the packet', `a000${HEAD.slice(4)} ffff ffff`, undefined],
  ['padding of nothing', `a000${HEAD.slice(4)} ff00`, undefined],
  ['RTCP on the same port', `80c8${HEAD.slice(4)}`, undefined],
])('reads %s', (_title, hex, payload) => {
  const header = createRtpHeader()
  const isRead = readRtpPacket(bytes(hex), header)
  expect(isRead ? [header.payloadStart, header.payloadEnd] : undefined).toEqual(payload)
})

it('writes what it reads', () => {
  const packet = new Uint8Array(12)
  writeRtpHeader(packet, 96, true, 65_535, 0xffff_fffe, 0x8000_0001)
  const header = createRtpHeader()
  expect(readRtpPacket(packet, header)).toBe(true)
  expect(header).toEqual({
    payloadType: 96,
    isMarked: true,
    sequence: 65_535,
    timestamp: 0xffff_fffe,
    ssrc: 0x8000_0001,
    payloadStart: 12,
    payloadEnd: 12,
  })
})

it('reads random bytes without throwing, and never past their end', () => {
  const seed = 20_251
  const random = seeded(seed)
  const header = createRtpHeader()
  const reading: RtcpReading = {
    senderReport: undefined,
    hasBye: false,
    lastSenderReport: 0,
    delaySinceLast: 0,
  }
  for (let round = 0; round < 50_000; round++) {
    const packet = Buffer.from(
      Array.from({ length: Math.floor(random() * 60) }, () => Math.floor(random() * 256)),
    )
    // Half of them with the right version, so that what follows is tried too.
    if (packet.length > 0 && round % 2 === 0) packet[0] = 0x80 | ((packet[0] ?? 0) & 0x3f)
    const title = `seed ${seed} round ${round}`
    if (readRtpPacket(packet, header)) {
      expect(header.payloadStart, title).toBeLessThanOrEqual(header.payloadEnd)
      expect(header.payloadEnd, title).toBeLessThanOrEqual(packet.length)
    }
    readRtcp(packet, reading)
  }
})

it.each([
  [5, 3, 2],
  [0, 65_535, 1],
  [65_535, 0, -1],
])('sequence %i is %i + %i', (a, b, distance) => {
  expect(sequenceDistance(a, b)).toBe(distance)
})

it('takes timestamps around the wrap', () => {
  expect(timestampDistance(100, 0xffff_ff00)).toBe(356)
  expect(timestampDistance(0xffff_ff00, 100)).toBe(-356)
})

it('writes reports that it can read', () => {
  const into = new Uint8Array(96)
  const sender = { epochMs: 1_700_000_000_500, rtpTimestamp: 7, packets: 8, bytes: 9 }
  const reception = {
    ssrc: 0xaabbccdd,
    fractionLost: 12,
    packetsLost: -1,
    highestSequence: 70_000,
    jitter: 5,
    lastSenderReport: 0x01020304,
    delaySinceLast: 65_536,
  }
  const length = writeReport(into, 0x11223344, 'abc@lab', sender, reception)
  const packet = Buffer.from(into.subarray(0, length))
  const reading: RtcpReading = {
    senderReport: undefined,
    hasBye: false,
    lastSenderReport: 0,
    delaySinceLast: 0,
  }
  expect(readRtcp(packet, reading)).toBe(true)
  // NTP: 1,700,000,000 + 2,208,988,800 s and a half.
  expect(reading.senderReport).toBe((((3_908_988_800 & 0xffff) << 16) | 0x8000) >>> 0)
  expect(packet.subarray(0, 8).toString('hex')).toBe('81c8000c11223344')
  expect(packet.subarray(28, 52).toString('hex')).toBe(
    'aabbccdd0cffffff00011170000000050102030400010000',
  )
  expect(packet.subarray(52, 60).toString('hex')).toBe('81ca000411223344')
})
