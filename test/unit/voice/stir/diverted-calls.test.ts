/** What is told of a call that was sent on before it came here (RFC 8946). */
import { createPrivateKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CallerVerification } from '../../../../src/voice/stir/caller-verification.js'
import { signDivPassport } from '../../../../src/voice/stir/passport.js'
import { signCaller, signDiversion } from '../../../../src/voice/stir/sign-caller.js'
import { readCertificates } from '../../../../src/voice/stir/trusted-chain.js'
import { stirCertificates } from '../../../support/sip/stir-certificates.js'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const URL = 'https://cert.example/shaken.pem'
const CALLER = '+12155551212'
const [FIRST, SECOND, HERE] = ['+15551110001', '+15551110002', '+15557770001'] as const
const { signer, plain } = stirCertificates
const anchors = readCertificates(stirCertificates.anchor) ?? []
const identity = { certificateUrl: URL, privateKey: signer.key }

interface Hop {
  readonly by?: string
  readonly from: string
  readonly to: string
  readonly secondsAgo?: number
  readonly privateKey?: string
  readonly certificateUrl?: string
}

const at = (secondsAgo = 0) => NOW - 1_000 * secondsAgo

/** The caller's own PASSporT, for the number that was called first. */
const original = (to: string, secondsAgo?: number) =>
  signCaller(identity, { from: CALLER, to, attest: 'A', atMs: at(secondsAgo) }) ?? ''

/** The PASSporT of a number that has sent the call on. */
const sentOn = ({ by = CALLER, from, to, secondsAgo, ...changes }: Hop) =>
  signDiversion(
    { ...identity, ...changes },
    { from: by, divertedFrom: from, to, atMs: at(secondsAgo) },
  ) ?? ''

const ONCE = { from: FIRST, to: HERE }

async function verify(...identities: readonly string[]) {
  const verification = new CallerVerification({
    anchors,
    certificates: {
      find: (url) => {
        if (url === URL) return Promise.resolve(readCertificates(signer.chain))
        if (url.endsWith('/plain.pem')) return Promise.resolve(readCertificates(plain.chain))
        return Promise.resolve(undefined)
      },
    },
  })
  const header = identities.join(', ')
  const call = { from: CALLER, to: HERE, atMs: NOW }
  return verification.verify((name) => (name === 'identity' ? header : undefined), call)
}

describe('a call that was sent on', () => {
  it('once is passed as diverted, with the PASSporT of its caller', async () => {
    const first = original(FIRST)
    expect(await verify(first, sentOn(ONCE))).toMatchObject({
      verstat: 'TN-Validation-Passed-A-Diverted',
      token: first.split(';')[0],
    })
  })

  it.each<[string, readonly string[], string]>([
    [
      'twice, whatever the order of the header',
      [sentOn({ from: SECOND, to: HERE }), original(FIRST), sentOn({ from: FIRST, to: SECOND })],
      'TN-Validation-Passed-A-Diverted',
    ],
    [
      'after it has rung for two minutes',
      [original(FIRST, 120), sentOn(ONCE)],
      'TN-Validation-Passed-A-Diverted',
    ],
    [
      'with a PASSporT that nothing leads to beside those of its way',
      [original(FIRST), sentOn({ from: SECOND, to: '+15559990000' }), sentOn(ONCE)],
      'TN-Validation-Passed-A-Diverted',
    ],
    ['without a div PASSporT', [original(FIRST)], 'TN-Validation-Failed-A'],
    [
      'by a number that was never called',
      [original(FIRST), sentOn({ from: SECOND, to: HERE })],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'to another number',
      [original(FIRST), sentOn({ from: FIRST, to: SECOND })],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'in a circle that the caller has not called into',
      [original(FIRST), sentOn({ from: SECOND, to: HERE }), sentOn({ from: HERE, to: SECOND })],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'for another caller',
      [original(FIRST), sentOn({ ...ONCE, by: '+12155559999' })],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'with a signature of nobody who may sign',
      [
        original(FIRST),
        sentOn({
          ...ONCE,
          privateKey: plain.key,
          certificateUrl: 'https://cert.example/plain.pem',
        }),
      ],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'with a signature of another key',
      [original(FIRST), sentOn({ ...ONCE, privateKey: plain.key })],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'more than a minute ago',
      [original(FIRST, 61), sentOn({ ...ONCE, secondsAgo: 61 })],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'with a PASSporT that somebody has kept for an hour',
      [original(FIRST, 3_600), sentOn(ONCE)],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'before it was placed',
      [original(FIRST, -30), sentOn({ ...ONCE, secondsAgo: 50 })],
      'TN-Validation-Failed-A-Diverted',
    ],
    [
      'by one whose certificate cannot be had',
      [original(FIRST), sentOn({ ...ONCE, certificateUrl: 'https://gone.example/a.pem' })],
      'No-TN-Validation',
    ],
  ])('%s', async (_title, identities, expected) => {
    expect((await verify(...identities))?.verstat).toBe(expected)
  })

  it('and came to the number that was called after all needs no diversion', async () => {
    expect(await verify(original(HERE), sentOn({ from: FIRST, to: SECOND }))).toMatchObject({
      verstat: 'TN-Validation-Passed-A',
    })
  })

  it.each([
    ['whose info names another certificate', (text: string) => text.replace('shaken', 'other')],
    ['that is none', () => 'a.b.c;info=<https://cert.example/shaken.pem>;alg=ES256;ppt=div'],
    ['of another extension', (text: string) => text.replace('ppt=div', 'ppt=rcd')],
  ])('by a PASSporT %s has none', async (_title, change) => {
    const verified = await verify(original(FIRST), change(sentOn(ONCE)))
    expect(verified?.verstat).toBe('TN-Validation-Failed-A')
  })

  it('with only a div PASSporT has nobody who vouches for its caller', async () => {
    expect((await verify(sentOn(ONCE)))?.verstat).toBe('No-TN-Validation')
  })

  it('without the number that sent it on in its PASSporT is not diverted', async () => {
    const claims = { dest: [HERE.slice(1)], div: '', iat: NOW / 1_000, orig: CALLER.slice(1) }
    const token = signDivPassport(claims, URL, createPrivateKey(signer.key))
    const verified = await verify(original(FIRST), `${token};info=<${URL}>;alg=ES256;ppt=div`)
    expect(verified?.verstat).toBe('TN-Validation-Failed-A-Diverted')
  })
})
