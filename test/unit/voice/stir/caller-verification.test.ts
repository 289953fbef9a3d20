import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CallerVerification } from '../../../../src/voice/stir/caller-verification.js'
import { formatIdentity } from '../../../../src/voice/stir/identity-header.js'
import { type Attestation, isSignedBy, signPassport } from '../../../../src/voice/stir/passport.js'
import { signCaller, signDiversion } from '../../../../src/voice/stir/sign-caller.js'
import { readCertificates, trustedSigner } from '../../../../src/voice/stir/trusted-chain.js'
import { stirCertificates } from '../../../support/sip/stir-certificates.js'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const URL = 'https://cert.example/shaken.pem'
const CALL = { from: '+12155551212', to: '+15557770001', atMs: NOW }
const { signer, plain } = stirCertificates
const anchors = readCertificates(stirCertificates.anchor) ?? []

interface Scenario {
  readonly chain: string | undefined
  readonly key: string
  readonly attest: Attestation
  readonly from: string
  readonly anchors: typeof anchors
  readonly header: (identity: string) => string
}

const RIGHT: Scenario = {
  chain: signer.chain,
  key: signer.key,
  attest: 'A',
  from: CALL.from,
  anchors,
  header: (identity) => identity,
}

/** The verstat of a call with an Identity of ours, unless the scenario says otherwise. */
async function verstat(changes: Partial<Scenario> = {}): Promise<string | undefined> {
  const { anchors, attest, chain, from, key, header } = { ...RIGHT, ...changes }
  const identity = signCaller({ certificateUrl: URL, privateKey: key }, { ...CALL, from, attest })
  const received = header(identity ?? '')
  const certificates = chain === undefined ? undefined : readCertificates(chain)
  const verification = new CallerVerification({
    anchors,
    certificates: { find: () => Promise.resolve(certificates) },
  })
  const verified = await verification.verify(
    (name) => (name === 'identity' ? received : undefined),
    CALL,
  )
  expect(verified?.token).toBe(received.split(';')[0])
  expect(verified?.received).toBe(received)
  return verified?.verstat
}

describe('an Identity', () => {
  it.each<[string, Partial<Scenario>, string]>([
    ['that is right', {}, 'TN-Validation-Passed-A'],
    ['of a gateway', { attest: 'C' }, 'TN-Validation-Passed-C'],
    ['of another caller', { from: '+12155551213' }, 'TN-Validation-Failed-A'],
    ['signed with another key', { key: plain.key }, 'TN-Validation-Failed-A'],
    [
      'whose certificate may not sign for numbers',
      { chain: plain.chain, key: plain.key },
      'TN-Validation-Failed-A',
    ],
    [
      'whose authority is not trusted',
      { anchors: readCertificates(stirCertificates.otherAnchor) ?? [] },
      'TN-Validation-Failed-A',
    ],
    ['whose certificate cannot be had', { chain: undefined }, 'No-TN-Validation'],
    ['that nobody may judge, for want of anchors', { anchors: [] }, 'No-TN-Validation'],
    [
      'whose info names another certificate',
      { header: (text) => text.replace('shaken.pem', 'other.pem') },
      'No-TN-Validation',
    ],
    ['that is none', { header: () => 'hello' }, 'No-TN-Validation'],
  ])('%s', async (_title, scenario, expected) => {
    expect(await verstat(scenario)).toBe(expected)
  })

  it('of another extension beside it is left alone', async () => {
    const header = (text: string) => `${text}, a.b.c;info=<https://x.example/d>;ppt=div`
    expect(await verstat({ header })).toBe('TN-Validation-Passed-A')
  })

  it('is not looked for where none came', async () => {
    const verification = new CallerVerification({
      anchors,
      certificates: { find: () => Promise.reject(new Error('asked')) },
    })
    expect(await verification.verify(() => undefined, CALL)).toBeUndefined()
  })
})

describe('a chain of certificates', () => {
  const chain = readCertificates(signer.chain) ?? []

  it.each([
    ['that leads to an anchor', chain, NOW, true],
    ['without its intermediate', chain.slice(0, 1), NOW, false],
    ['of an authority itself', chain.slice(1), NOW, false],
    ['that has expired', chain, Date.parse('2200-01-01'), false],
    ['that is not valid yet', chain, Date.parse('2000-01-01'), false],
    ['that is empty', [], NOW, false],
  ])('%s: trusted %s', (_title, certificates, at, expected) => {
    expect(trustedSigner(certificates, anchors, at) !== undefined).toBe(expected)
  })

  it('is not read from anything else', () => {
    expect(readCertificates('hello')).toBeUndefined()
    expect(
      readCertificates('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
    ).toBeUndefined()
  })
})

describe('a caller', () => {
  const identity = { certificateUrl: URL, privateKey: signer.key }

  it.each([
    'anonymous',
    'sip:alice@acme.example',
    '100',
  ])('%s without a number is not signed', (from) => {
    expect(signCaller(identity, { ...CALL, from, attest: 'A' })).toBeUndefined()
  })

  it('is signed for each call anew', () => {
    const sign = () => signCaller(identity, { ...CALL, attest: 'B' })
    expect(sign()).not.toBe(sign())
    expect(sign()).toMatch(
      /^[\w-]+\.[\w-]+\.[\w-]+;info=<https:\/\/cert\.example\/shaken\.pem>;alg=ES256;ppt=shaken$/,
    )
  })

  it('whose PASSporT is old fails', async () => {
    const stale = signPassport(
      {
        attest: 'A',
        dest: ['15557770001'],
        iat: NOW / 1_000 - 61,
        orig: '12155551212',
        origid: '',
      },
      URL,
      createPrivateKey(signer.key),
    )
    expect(await verstat({ header: () => formatIdentity(stale, URL, 'shaken') })).toBe(
      'TN-Validation-Failed-A',
    )
  })
})

describe('a call that is sent on', () => {
  const identity = { certificateUrl: URL, privateKey: signer.key }
  const sentOn = { from: '+12155551212', divertedFrom: '+15551112222', to: '+442079460018' }

  it('is signed by a div PASSporT, its keys in order (RFC 8946 §4)', () => {
    const value = signDiversion(identity, { ...sentOn, atMs: 1_000_999 }) ?? ''
    const [token = ''] = value.split(';')
    const [head = '', body = '', signature = ''] = token.split('.')
    const textOf = (part: string) => Buffer.from(part, 'base64url').toString()
    expect(value).toBe(`${token};info=<${URL}>;alg=ES256;ppt=div`)
    expect(textOf(head)).toBe(`{"alg":"ES256","ppt":"div","typ":"passport","x5u":"${URL}"}`)
    expect(textOf(body)).toBe(
      '{"dest":{"tn":["442079460018"]},"div":{"tn":"15551112222"},"iat":1000,"orig":{"tn":"12155551212"}}',
    )
    const signed = {
      signedText: `${head}.${body}`,
      signature: Buffer.from(signature, 'base64url'),
    }
    expect(isSignedBy(signed, createPublicKey(signer.key))).toBe(true)
  })

  it.each(['from', 'divertedFrom', 'to'])('is not signed where %s is no number', (name) => {
    const call = { ...sentOn, atMs: 1, [name]: 'sip:alice@acme.example' }
    expect(signDiversion(identity, call)).toBeUndefined()
  })
})
