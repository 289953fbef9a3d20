import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Attestation, readPassport } from '../../src/voice/stir/passport.js'
import { signCaller, signDiversion } from '../../src/voice/stir/sign-caller.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { CarrierPeer } from '../support/sip/carrier-peer.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf, headersOf } from '../support/sip/sip-peer-message.js'
import { ANCHOR_FILE, stirCertificates } from '../support/sip/stir-certificates.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const NUMBER = '+15551112222'
const CALLEE = '+15557770001'
const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let app: VoiceApp
let privateKey: string

beforeAll(async () => {
  trunkline = await startTrunkline({ STIR_TRUST_ANCHORS: ANCHOR_FILE })
  app = await startVoiceApp()
  app.page('/shaken.pem', '', {
    headers: { 'content-type': 'application/pem-certificate-chain' },
    body: stirCertificates.signer.chain,
  })
  privateKey = stirCertificates.signer.key
  await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/voice` })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
afterEach(async () => {
  await trunkline.adminApi('DELETE', '/carriers/upstream')
  await expectNothingLeft(trunkline)
})

const signer = () => ({ certificateUrl: `${app.url}/shaken.pem`, privateKey })
const sign = (from: string, attest: Attestation = 'A', to = NUMBER) =>
  signCaller(signer(), { from, to, attest, atMs: Date.now() }) ?? ''

/** Calls the number; resolves with what the first webhook said, once `until` has resolved too. */
async function called(
  from: string,
  headers: readonly (readonly [string, string])[],
  page: string,
  until: () => Promise<unknown> = () => Promise.resolve(),
) {
  using phone = await SipPeer.open()
  app.page('/voice', page)
  const before = app.sink.requests.length
  const call = phone.call(trunkline.sipPort, {
    user: NUMBER.slice(1),
    from: `<sip:${from}@127.0.0.1>`,
    headers,
  })
  await call.response(200, 'INVITE', LIMIT_MS)
  const asked = app.sink.requests.slice(before).find(({ target }) => target === '/voice')
  const params = Object.fromEntries(asked?.params ?? [])
  await until()
  call.bye()
  await call.response(200, 'BYE', LIMIT_MS)
  return params
}

describe('the Identity of an inbound call', () => {
  const WAIT = '<Pause length="20"/>'
  const ANSWER = `<Say>Hello.</Say>${WAIT}`

  it('is verified by its certificate, and told to the application', async () => {
    const identity = sign('+12155551212')
    const params = await called('+12155551212', [['Identity', identity]], ANSWER)
    expect(params).toMatchObject({
      StirVerstat: 'TN-Validation-Passed-A',
      StirPassportToken: identity.split(';')[0],
    })
  })

  it.each([
    ['of another caller', () => sign('+12155551213', 'B'), 'TN-Validation-Failed-B'],
    ['that cannot be read', () => 'hello', 'No-TN-Validation'],
  ])('%s does not pass, and the call is taken', async (_title, identity, verstat) => {
    const params = await called('+12155551212', [['Identity', identity()]], ANSWER)
    expect(params['StirVerstat']).toBe(verstat)
  })

  it('of a call that was sent on here is verified with the one of who has sent it on', async () => {
    const parties = { from: '+12155551212', divertedFrom: '+15553334444', to: NUMBER }
    const identity = sign(parties.from, 'A', parties.divertedFrom)
    const diversion = signDiversion(signer(), { ...parties, atMs: Date.now() }) ?? ''
    const headers = [
      ['Identity', identity],
      ['Identity', diversion],
    ] as const
    expect(await called(parties.from, headers, ANSWER)).toMatchObject({
      StirVerstat: 'TN-Validation-Passed-A-Diverted',
      StirPassportToken: identity.split(';')[0],
    })
  })

  it('that the carrier has verified itself is passed through', async () => {
    const asserted = '<sip:+12155551212;verstat=TN-Validation-Passed@carrier.example>'
    const headers = [
      ['P-Asserted-Identity', asserted],
      ['P-Attestation-Indicator', 'B'],
    ] as const
    const params = await called('+12155551212', headers, ANSWER)
    expect(params['StirVerstat']).toBe('TN-Validation-Passed-B-Passthrough')
    expect(params['StirPassportToken']).toBeUndefined()
  })

  it('is told nothing of where the INVITE has none', async () => {
    const params = await called('+12155551212', [], ANSWER)
    expect(params).toHaveProperty('CallSid')
    expect(params).not.toHaveProperty('StirVerstat')
  })
})

describe('a call to a carrier with a certificate', () => {
  async function upstream(): Promise<CarrierPeer> {
    const peer = await CarrierPeer.open(() => ({ status: 486 }))
    const { status, body } = await trunkline.adminApi('PUT', '/carriers/upstream', {
      host: '127.0.0.1',
      port: peer.port,
      prefixes: [CALLEE.slice(0, 5)],
      identity: { certificateUrl: 'https://cert.example/shaken.pem', privateKey },
    })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body['identity']).toEqual({ certificateUrl: 'https://cert.example/shaken.pem' })
    expect(JSON.stringify(body)).not.toContain('PRIVATE')
    return peer
  }

  it.each([
    ['a number of the account', NUMBER, 'A'],
    ['another number', '+15559998888', 'B'],
  ])('from %s is signed', async (_title, from, attest) => {
    using peer = await upstream()
    await trunkline.createCall({ To: CALLEE, From: from, Markup: '<Response/>' })
    const invite = await peer.request('INVITE', 0, LIMIT_MS)
    const identity = headerOf(invite, 'identity')
    expect(identity).toMatch(/;info=<https:\/\/cert\.example\/shaken\.pem>;alg=ES256;ppt=shaken$/)
    const claims = readPassport(identity.split(';')[0] ?? '')?.claims
    expect(claims).toMatchObject({ attest, orig: from.slice(1), dest: [CALLEE.slice(1)] })
    expect(Math.abs((claims?.iat ?? 0) - Date.now() / 1_000)).toBeLessThan(60)
  })

  it.each([
    ['that came with an Identity shows it on', true],
    ['that came without one is signed as from a gateway', false],
  ])('of a caller %s', async (_title, isSigned) => {
    using peer = await upstream()
    const identity = sign('+12155551212')
    await called(
      '+12155551212',
      isSigned ? [['Identity', identity]] : [],
      `<Dial><Number>${CALLEE}</Number></Dial><Pause length="20"/>`,
      () => peer.request('INVITE', 0, LIMIT_MS),
    )
    const [sent = '', div = '', ...others] = headersOf(
      await peer.request('INVITE', 0, LIMIT_MS),
      'identity',
    )
    if (!isSigned) {
      expect(readPassport(sent.split(';')[0] ?? '')?.claims.attest).toBe('C')
      expect([div, others]).toEqual(['', []])
      return
    }
    expect([sent, others]).toEqual([identity, []])
    expect(div).toMatch(/;info=<https:\/\/cert\.example\/shaken\.pem>;alg=ES256;ppt=div$/)
    const payload = Buffer.from(div.split('.')[1] ?? '', 'base64url').toString()
    // RFC 8946: who has sent the call on, and where to.
    expect(JSON.parse(payload)).toMatchObject({
      dest: { tn: [CALLEE.slice(1)] },
      div: { tn: NUMBER.slice(1) },
      orig: { tn: '12155551212' },
    })
  })

  it('with a key that cannot sign is refused', async () => {
    const { status, body } = await trunkline.adminApi('PUT', '/carriers/upstream', {
      host: '127.0.0.1',
      identity: { certificateUrl: 'https://cert.example/a.pem', privateKey: 'hello' },
    })
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('P-256')])
  })
})
