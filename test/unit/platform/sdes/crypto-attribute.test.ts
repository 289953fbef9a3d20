import { describe, expect, it } from 'vitest'
import {
  newMasterKey,
  readCryptoAttribute,
  readCryptoLines,
  writeCryptoAttribute,
} from '../../../../src/platform/sdes/crypto-attribute.js'

/** The key of the examples in RFC 4568 §4.1. */
const KEY = 'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR'
const OTHER = 'd0RmdmcmVCspeEc3QGZiNWpVLFJhQX1cfHAwJSoj'

describe('a crypto attribute (RFC 4568)', () => {
  it.each<[string, string]>([
    ['plain', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`],
    ['with a lifetime as a power of two', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^20`],
    ['with a lifetime in packets', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|1048576`],
    ['with the size of a window', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} WSH=128`],
    ['with a parameter that need not be known', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} -NEW=1`],
  ])('%s', (_title, text) => {
    expect(readCryptoAttribute(text)).toEqual({
      tag: 1,
      suite: 'AES_CM_128_HMAC_SHA1_80',
      key: KEY,
    })
  })

  it('of the short tag is another suite', () => {
    expect(readCryptoAttribute(`22 AES_CM_128_HMAC_SHA1_32 inline:${KEY}`)).toEqual({
      tag: 22,
      suite: 'AES_CM_128_HMAC_SHA1_32',
      key: KEY,
    })
  })

  it.each([
    '',
    '==',
  ])('of AES-256 has a longer key, with the padding "%s" (RFC 6188 §4)', (padding) => {
    const key = `${KEY.slice(0, 22)}${OTHER.slice(1)}g`
    expect(readCryptoAttribute(`1 AES_256_CM_HMAC_SHA1_80 inline:${key}${padding}|2^31`)).toEqual({
      tag: 1,
      suite: 'AES_256_CM_HMAC_SHA1_80',
      key: `${key}==`,
    })
  })

  it.each<[string, string]>([
    ['of another suite', `1 F8_128_HMAC_SHA1_80 inline:${KEY}`],
    ['of a longer key', `1 AES_CM_256_HMAC_SHA1_80 inline:${KEY}AAAA`],
    ['with a key of AES-128', `1 AES_256_CM_HMAC_SHA1_80 inline:${KEY}`],
    ['with a key of AES-256', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}${KEY.slice(0, 22)}==`],
    ['with a short key', '1 AES_CM_128_HMAC_SHA1_80 inline:x'],
    ['with a key that is no base64', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY.replace('S', '*')}`],
    ['without a tag', `AES_CM_128_HMAC_SHA1_80 inline:${KEY}`],
    ['with another key method', `1 AES_CM_128_HMAC_SHA1_80 uri:${KEY}`],
    ['with a master key identifier', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^20|1:4`],
    ['with an identifier and no lifetime', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|1:4`],
    ['with two keys', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^20|1:4;inline:${OTHER}|2^20|2:4`],
    ['with a lifetime beyond the suite', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|2^49`],
    ['with no lifetime left', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}|0`],
    ['without encryption', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNENCRYPTED_SRTP`],
    ['without authentication', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} UNAUTHENTICATED_SRTP`],
    ['with a key derivation rate', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} KDR=4`],
    ['with FEC', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} FEC_ORDER=FEC_SRTP`],
    ['with an unknown parameter', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} WSH=128 NEW=1`],
    ['with a window too small to be one', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY} WSH=8`],
    ['of a thousand characters', `1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}${' -A'.repeat(400)}`],
  ])('%s is unusable', (_title, text) => {
    expect(readCryptoAttribute(text)).toBeUndefined()
  })

  it.each([
    ['AES_CM_128_HMAC_SHA1_32', 30],
    ['AES_256_CM_HMAC_SHA1_32', 46],
  ] as const)('is read as it was written, each with a key of its own, %s', (suite, bytes) => {
    const made = { tag: 2, suite, key: newMasterKey(suite) }
    expect(readCryptoAttribute(writeCryptoAttribute(made))).toEqual(made)
    expect(newMasterKey(suite)).not.toBe(made.key)
    expect(Buffer.from(made.key, 'base64')).toHaveLength(bytes)
  })

  it('belongs to its media line', () => {
    const line = (tag: number) => `a=crypto:${tag} AES_CM_128_HMAC_SHA1_80 inline:${KEY}`
    const sdp = ['v=0', line(9), 'm=video 1 RTP/SAVP 99', 'm=audio 1 RTP/SAVP 0', line(1), line(2)]
    expect(readCryptoLines(sdp.join('\r\n')).map((all) => all.map(({ tag }) => tag))).toEqual([
      [],
      [1, 2],
    ])
  })
})
