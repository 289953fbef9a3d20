import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSignedBy, readPassport, signPassport } from '../../../../src/voice/stir/passport.js'

const CLAIMS = {
  attest: 'A',
  dest: ['15557770001'],
  iat: 1_471_375_418,
  orig: '12155551212',
  origid: '123e4567-e89b-12d3-a456-426655440000',
} as const
const URL = 'https://cert.example.org/passport.pem'
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = { alg: 'ES256', ppt: 'shaken', typ: 'passport', x5u: URL }
const PAYLOAD = {
  attest: 'A',
  dest: { tn: ['15557770001'] },
  iat: 1_471_375_418,
  orig: { tn: '12155551212' },
  origid: '123e4567-e89b-12d3-a456-426655440000',
}
const SIGNATURE = 'A'.repeat(86)

describe('a PASSporT', () => {
  it('is written in the order of RFC 8225 §9 (the form of RFC 8588 §4)', () => {
    const [header, payload] = signPassport(CLAIMS, URL, privateKey).split('.')
    const text = (each = '') => Buffer.from(each, 'base64url').toString('utf8')
    expect(text(header)).toBe(
      '{"alg":"ES256","ppt":"shaken","typ":"passport","x5u":"https://cert.example.org/passport.pem"}',
    )
    expect(text(payload)).toBe(
      '{"attest":"A","dest":{"tn":["15557770001"]},"iat":1471375418,"orig":{"tn":"12155551212"},' +
        '"origid":"123e4567-e89b-12d3-a456-426655440000"}',
    )
  })

  it('is read as it was written, and is right for its key alone', () => {
    const passport = readPassport(signPassport(CLAIMS, URL, privateKey))
    expect(passport).toMatchObject({ certificateUrl: URL, claims: CLAIMS })
    if (passport === undefined) throw new Error('not read')
    expect(isSignedBy(passport, publicKey)).toBe(true)
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    expect(isSignedBy(passport, other)).toBe(false)
    expect(isSignedBy({ ...passport, signedText: `${passport.signedText}A` }, publicKey)).toBe(
      false,
    )
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey
    expect(isSignedBy(passport, rsa)).toBe(false)
  })

  it('has the signature of the ES256 example that RFC 8225 Appendix A grew from', () => {
    const key = createPublicKey(`-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8HNbQd/TmvCKwPKHkMF9fScavGeH
78YTU8qLS8I5HLHSSmlATLcslQMhNC/OhlWBYC626nIlo7XeebYS7Sb37g==
-----END PUBLIC KEY-----`)
    const signedText =
      'eyJhbGciOiJFUzI1NiIsInR5cCI6InBhc3Nwb3J0IiwieDV1IjoiaHR0cHM6Ly9jZXJ0LmV4YW1wbGUub3JnL3Bhc3Nwb3J0LmNlciJ9.' +
      'eyJkZXN0Ijp7InVyaSI6WyJzaXA6YWxpY2VAZXhhbXBsZS5jb20iXX0sImlhdCI6IjE0NDMyMDgzNDUiLCJvcmlnIjp7InRuIjoiMTIxNTU1NTEyMTIifX0'
    const signature = Buffer.from(
      'rq3pjT1hoRwakEGjHCnWSwUnshd0-zJ6F1VOgFWSjHBr8Qjpjlk-cpFYpFYsojNCpTzO3QfPOlckGaS6hEck7w',
      'base64url',
    )
    expect(isSignedBy({ signedText, signature }, key)).toBe(true)
  })

  it.each([
    ['no token', 'hello'],
    ['four parts', `${part(HEADER)}.${part(PAYLOAD)}.${SIGNATURE}.x`],
    ['the compact form', `..${SIGNATURE}`],
    ['no JSON', `${Buffer.from('{').toString('base64url')}.${part(PAYLOAD)}.${SIGNATURE}`],
    ['another algorithm', `${part({ ...HEADER, alg: 'none' })}.${part(PAYLOAD)}.${SIGNATURE}`],
    ['another extension', `${part({ ...HEADER, ppt: 'div' })}.${part(PAYLOAD)}.${SIGNATURE}`],
    ['no certificate', `${part({ ...HEADER, x5u: 1 })}.${part(PAYLOAD)}.${SIGNATURE}`],
    ['no caller', `${part(HEADER)}.${part({ ...PAYLOAD, orig: {} })}.${SIGNATURE}`],
    ['no destinations', `${part(HEADER)}.${part({ ...PAYLOAD, dest: { tn: [1] } })}.${SIGNATURE}`],
    ['no time', `${part(HEADER)}.${part({ ...PAYLOAD, iat: 'x' })}.${SIGNATURE}`],
    ['a short signature', `${part(HEADER)}.${part(PAYLOAD)}.AAAA`],
  ])('with %s is none', (_title, token) => {
    expect(readPassport(token)).toBeUndefined()
  })

  it('is none when its bytes are random', () => {
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(Array.from({ length: round % 90 }, () => Math.random() * 256))
      expect(readPassport(`${bytes.toString('latin1')}.${bytes.toString('base64url')}.x`)).toBe(
        undefined,
      )
    }
  })
})
