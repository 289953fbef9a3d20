import { createCipheriv } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CounterCipher } from '../../../../../src/lab/media/srtp/counter-cipher.js'
import { deriveSessionKeys } from '../../../../../src/lab/media/srtp/session-keys.js'
import { RtcpProtection, RtpProtection } from '../../../../../src/lab/media/srtp/srtp-protection.js'
import {
  FORGED,
  guessIndex,
  REPLAYED,
  ReplayWindow,
  RtcpVerification,
  RtpVerification,
} from '../../../../../src/lab/media/srtp/srtp-verification.js'
import { SecureRtp } from '../../../../support/media/secure-rtp.js'
import { seeded } from '../../../../support/media/seeded.js'

const bytes = (...hex: readonly string[]): Buffer =>
  Buffer.from(hex.join('').replaceAll(' ', ''), 'hex')
const SUITE = 'AES_CM_128_HMAC_SHA1_80'
/** The master key and salt of RFC 3711 §B.3. */
const MASTER = bytes('E1F97A0D3E018BE0D64FA32C06DE4139', '0EC675AD498AFEEBB6960B3AABE6')

/** The same for AES-256: a key of 32 bytes before the salt. */
const LONG_MASTER = Buffer.concat([MASTER.subarray(0, 16), MASTER])

/** A packet of `size` bytes and room behind it for what SRTP adds. */
const withRoom = (plain: Buffer): Buffer => Buffer.concat([plain, Buffer.alloc(14)])
const rtp = (sequence: number, ssrc = 0xcafe_babe, payload = Buffer.alloc(160, 0x55)): Buffer => {
  const head = Buffer.from('8000000000000000', 'hex')
  head.writeUInt16BE(sequence, 2)
  const source = Buffer.alloc(4)
  source.writeUInt32BE(ssrc)
  return Buffer.concat([head, source, payload])
}
const protectedBy = (sender: RtpProtection, plain: Buffer): Buffer => {
  const packet = withRoom(plain)
  return packet.subarray(0, sender.protect(packet, plain.length))
}

describe('the vectors of RFC 3711 [E41]', () => {
  it('B.2: the key stream of AES in counter mode', () => {
    const cipher = new CounterCipher(
      bytes('2B7E151628AED2A6ABF7158809CF4F3C'),
      bytes('F0F1F2F3F4F5F6F7F8F9FAFBFCFD'),
    )
    const stream = Buffer.alloc(48)
    cipher.apply(stream, 0, stream.length, 0, 0, 0)
    expect(stream.toString('hex').toUpperCase()).toBe(
      'E03EAD0935C95E80E166B16DD92B4EB4D23513162B02D0F72A43A2FE4A5F97AB41E95B3BB0A2E8DD477901E4FCA894C0',
    )
  })

  it('B.3: the keys of RTP from the master key', () => {
    const { cipherKey, salt, authKey } = deriveSessionKeys(MASTER, 'rtp')
    expect(cipherKey).toEqual(bytes('C61E7A93744F39EE10734AFE3FF7A087'))
    expect(salt).toEqual(bytes('30CBBC08863D8C85D49DB34A9AE1'))
    expect(authKey).toEqual(bytes('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'))
  })

  it('RFC 6188 §7.1: the key stream of AES-256', () => {
    const cipher = new CounterCipher(
      bytes('57f82fe3613fd170a85ec93c40b1f092', '2ec4cb0dc025b58272147cc438944a98'),
      bytes('F0F1F2F3F4F5F6F7F8F9FAFBFCFD'),
    )
    const stream = Buffer.alloc(48)
    cipher.apply(stream, 0, stream.length, 0, 0, 0)
    expect(stream.toString('hex')).toBe(
      '92bdd28a93c3f52511c677d08b5515a49da71b2378a854f67050756ded165bac63c4868b7096d88421b563b8c94c9a31',
    )
  })

  it('RFC 6188 §7.2: the keys of RTP from a master key of 32 bytes', () => {
    const master = bytes(
      'f0f04914b513f2763a1b1fa130f10e2998f6f6e43e4309d1e622a0e332b9f1b6',
      '3b04803de51ee7c96423ab5b78d2',
    )
    const { cipherKey, salt, authKey } = deriveSessionKeys(master, 'rtp')
    expect(cipherKey).toEqual(
      bytes('5ba1064e30ec51613cad926c5a28ef73', '1ec7fb397f70a960653caf06554cd8c4'),
    )
    expect(salt).toEqual(bytes('fa31791685ca444a9e07c6c64e93'))
    expect(authKey).toEqual(bytes('fd9c32d39ed5fbb5a9dc96b30818454d1313dc05'))
  })

  it('libsrtp: a whole packet of RTP and one of RTCP', () => {
    const packet = withRoom(bytes('800f1234decafbadcafebabe', 'ab'.repeat(16)))
    const size = new RtpProtection(MASTER, SUITE).protect(packet, 28)
    const cipherText = '4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb'
    expect(packet.subarray(0, size)).toEqual(bytes('800f1234decafbadcafebabe', cipherText))
    const report = withRoom(bytes('81c8000bcafebabe', 'ab'.repeat(16)))
    const length = new RtcpProtection(MASTER).protect(report, 24)
    expect(report.subarray(0, length)).toEqual(
      bytes('81c8000bcafebabe7128035be487b9bdbef89041f977a5a8', '80000001993e08cd54d6c1230798'),
    )
  })
})

describe('a protected packet', () => {
  it.each([SUITE, 'AES_CM_128_HMAC_SHA1_32'] as const)('is read again, %s', (suite) => {
    const sender = new RtpProtection(MASTER, suite)
    const receiver = new RtpVerification(MASTER, suite)
    for (const payload of [Buffer.alloc(0), Buffer.alloc(1, 7), Buffer.alloc(160, 9)]) {
      const plain = rtp(payload.length + 1, 5, payload)
      const packet = protectedBy(sender, plain)
      const size = receiver.unprotect(packet)
      expect(packet.subarray(0, size)).toEqual(plain)
    }
  })

  it.each([
    [SUITE, MASTER],
    ['AES_256_CM_HMAC_SHA1_32', LONG_MASTER],
  ] as const)('of another implementation is read, over a roll-over of the sequence number, %s', (suite, master) => {
    const other = new SecureRtp(master.toString('base64'), suite)
    const receiver = new RtpVerification(master, suite)
    for (const sequence of [65_534, 65_535, 0, 1]) {
      const packet = other.protect(rtp(sequence))
      expect(packet.subarray(0, receiver.unprotect(packet))).toEqual(rtp(sequence))
    }
  })

  it('is read by another implementation, over a roll-over of the sequence number', () => {
    const sender = new RtpProtection(MASTER, SUITE)
    const other = new SecureRtp(MASTER.toString('base64'), SUITE)
    for (const sequence of [65_535, 0, 1])
      expect(other.unprotect(protectedBy(sender, rtp(sequence)))).toEqual(rtp(sequence))
  })

  it('keeps its header extension in the clear', () => {
    const key = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(
      Buffer.alloc(30),
    )
    const other = new SecureRtp(key.toString('base64'), SUITE)
    const plain = bytes('900000010000000000000005', 'bede0001', '11223344', 'ff'.repeat(20))
    const packet = other.protect(plain, 20)
    expect(packet.subarray(0, 20)).toEqual(plain.subarray(0, 20))
    expect(packet.subarray(0, new RtpVerification(key, SUITE).unprotect(packet))).toEqual(plain)
  })

  it.each<[string, (packet: Buffer) => Buffer]>([
    ['with a changed payload', (packet) => flip(packet, 20)],
    ['with a changed header', (packet) => flip(packet, 1)],
    ['with a changed tag', (packet) => flip(packet, packet.length - 1)],
    ['cut short', (packet) => packet.subarray(0, packet.length - 1)],
    ['of ten bytes', (packet) => packet.subarray(0, 10)],
    ['with more header than packet', (packet) => flip(packet, 0, 0x0f)],
    ['longer than a network carries', (packet) => Buffer.concat([packet, Buffer.alloc(2_000)])],
  ])('%s is refused', (_title, change) => {
    const packet = protectedBy(new RtpProtection(MASTER, SUITE), rtp(1))
    const receiver = new RtpVerification(MASTER, SUITE)
    expect(receiver.unprotect(change(Buffer.from(packet)))).toBe(FORGED)
    expect(receiver.unprotect(packet)).toBe(172)
  })

  it('under another key is refused', () => {
    const packet = protectedBy(new RtpProtection(Buffer.alloc(30, 1), SUITE), rtp(1))
    expect(new RtpVerification(MASTER, SUITE).unprotect(packet)).toBe(FORGED)
  })

  it('is refused when it is replayed, and taken late but once [E41]', () => {
    const sender = new RtpProtection(MASTER, SUITE)
    const receiver = new RtpVerification(MASTER, SUITE)
    const sent = [1, 2, 3, 200].map((sequence) => protectedBy(sender, rtp(sequence)))
    const outcomes = [0, 2, 2, 1, 1, 3, 0].map((which) => {
      const packet = Buffer.from(sent[which] ?? [])
      return receiver.unprotect(packet)
    })
    expect(outcomes).toEqual([172, 172, REPLAYED, 172, REPLAYED, 172, REPLAYED])
  })

  it('of one source does not shut the window of another', () => {
    const receiver = new RtpVerification(MASTER, SUITE)
    for (const ssrc of [1, 2])
      expect(receiver.unprotect(protectedBy(new RtpProtection(MASTER, SUITE), rtp(9, ssrc)))).toBe(
        172,
      )
  })

  it('of RTCP is read again, and refused when replayed, changed or of another key', () => {
    const plain = bytes('81c8000bcafebabe', 'ab'.repeat(16))
    const packet = withRoom(plain)
    const size = new RtcpProtection(MASTER).protect(packet, plain.length)
    const sent = packet.subarray(0, size)
    const receiver = new RtcpVerification(MASTER)
    expect(receiver.unprotect(flip(Buffer.from(sent), 9))).toBe(FORGED)
    expect(new RtcpVerification(Buffer.alloc(30, 1)).unprotect(Buffer.from(sent))).toBe(FORGED)
    const copy = Buffer.from(sent)
    expect(copy.subarray(0, receiver.unprotect(copy))).toEqual(plain)
    expect(receiver.unprotect(Buffer.from(sent))).toBe(REPLAYED)
  })

  it('never throws, whatever it is', () => {
    const seed = Date.now()
    const random = seeded(seed)
    const rtpReceiver = new RtpVerification(MASTER, SUITE)
    const rtcpReceiver = new RtcpVerification(MASTER)
    for (let run = 0; run < 2_000; run++) {
      const packet = Buffer.from(
        Array.from({ length: Math.floor(random() * 60) }, () => Math.floor(random() * 256)),
      )
      expect(rtpReceiver.unprotect(Buffer.from(packet)), `seed ${seed}`).toBe(FORGED)
      expect(rtcpReceiver.unprotect(packet), `seed ${seed}`).toBe(FORGED)
    }
  })
})

describe('the packet index', () => {
  const AT = 0x1_0000
  it.each<[string, number, number, number]>([
    ['the next packet', 10, 11, 11],
    ['a late packet', 10, 8, 8],
    ['the first after a roll-over', 65_535, 0, AT],
    ['a late one from before a roll-over', AT + 2, 65_534, 65_534],
    ['a late one from before the first roll-over of all', 2, 65_534, -1],
    ['far ahead in the same turn', 100, 32_868, 32_868],
    ['more than half a turn ahead: it is from before', AT + 100, 32_869, 32_869],
    ['after the last turn of the key', 0xffff_ffff * AT + 65_535, 0, -1],
  ])('%s', (_title, highest, sequence, index) => {
    expect(guessIndex(highest, sequence)).toBe(index)
  })
})

it('the replay window forgets what is older than 128 packets', () => {
  const window = new ReplayWindow()
  window.accept(1_000)
  expect([1_000, 999, 873, 872, 1_001].map((index) => window.isNew(index))).toEqual([
    false,
    true,
    true,
    false,
    true,
  ])
  window.accept(5_000)
  expect([5_000, 4_990, 1_000].map((index) => window.isNew(index))).toEqual([false, true, false])
})

function flip(packet: Buffer, at: number, mask = 0x01): Buffer {
  packet.writeUInt8(packet.readUInt8(at) ^ mask, at)
  return packet
}
