import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { startBaresip } from '../support/sip/baresip.js'
import { type RegisterAnswer, RegisterClient } from '../support/sip/register-client.js'
import { createSoftphoneDomain, type SoftphoneDomain } from '../support/sip/softphone-domain.js'
import { rms } from '../support/sound/tone.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

let trunkline: RunningTrunkline
let app: VoiceApp
let domain: SoftphoneDomain

const POLL = { timeout: 20_000 }

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  domain = await createSoftphoneDomain(trunkline, ['alice', 'bob'], {
    DomainName: 'acme.example',
    VoiceUrl: `${app.url}/voice`,
    VoiceStatusCallbackUrl: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

describe('a softphone from Debian', () => {
  it('registers, is shown, and unregisters when it ends', async () => {
    await using phone = await startBaresip({ account: domain.baresipAccount('alice') })
    await expect.poll(() => phone.printed(), POLL).toMatch(/200 OK/)
    const [registration, ...others] = await domain.registrations()
    expect(others).toEqual([])
    expect(registration).toMatchObject({
      username: 'alice',
      received_from: `127.0.0.1:${phone.sipPort}`,
      transport: 'udp',
      user_agent: expect.stringContaining('baresip') as unknown,
    })
    const { body } = await trunkline.adminApi('GET', '/registrations')
    expect(body).toMatchObject({ total: 1, registrations: [{ username: 'alice' }] })
    phone.command('quit')
    await expect.poll(() => domain.registrations(), POLL).toEqual([])
  })

  it('calls the application of its domain, which learns who calls', async () => {
    await using phone = await startBaresip({ account: domain.baresipAccount('alice') })
    await expect.poll(() => phone.printed(), POLL).toMatch(/200 OK/)
    app.page('/voice', '<Say>Welcome to the office.</Say>')
    phone.command('dial', 'sip:15551234567@acme.example')
    const asked = await app.asked('/voice')
    expect(asked, phone.printed()).toMatchObject({
      From: 'sip:alice@acme.example',
      To: 'sip:15551234567@acme.example',
      Direction: 'inbound',
      SipDomain: 'acme.example',
      SipDomainSid: domain.sid,
      SipUsername: 'alice',
      SipSourceIp: '127.0.0.1',
      SipCallId: expect.stringMatching(/./) as unknown,
    })
    const callbacks = await app.completed(asked['CallSid'] ?? '')
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
    await expect.poll(() => rms(phone.heard()), POLL).toBeGreaterThan(300)
    await expectNothingLeft(trunkline)
  })

  it.each(['sip:alice@acme.example', 'client:alice'])('is called at %s by REST', async (To) => {
    await using phone = await startBaresip({ account: domain.baresipAccount('alice') })
    await expect.poll(() => phone.printed(), POLL).toMatch(/200 OK/)
    const { sid } = await trunkline.createCall({
      To,
      From: '+15551112222',
      Markup: '<Response><Say>This sentence is spoken by a machine.</Say></Response>',
      StatusCallback: `${app.url}/status`,
    })
    const callbacks = await app.completed(sid)
    expect(
      callbacks.map((params) => params['CallStatus']),
      phone.printed(),
    ).toEqual(['completed'])
    expect(callbacks[0]?.['To']).toBe(To)
    await expect.poll(() => rms(phone.heard()), POLL).toBeGreaterThan(300)
  })

  it.each([
    '<Client>bob</Client>',
    '<Sip>sip:bob@acme.example</Sip>',
  ])('is dialled by %s on all its devices; the first that answers gets the call', async (noun) => {
    await using first = await startBaresip({ account: domain.baresipAccount('bob') })
    await using second = await startBaresip({ account: domain.baresipAccount('bob') })
    for (const { sipPort } of [first, second])
      await expect
        .poll(() => domain.registrations(), POLL)
        .toContainEqual(expect.objectContaining({ received_from: `127.0.0.1:${sipPort}` }))
    const { sid } = await trunkline.createCall({
      To: '+15005550003',
      From: '+15551112222',
      Markup: `<Response><Dial timeLimit="2" action="${app.url}/dialled">${noun}</Dial></Response>`,
      StatusCallback: `${app.url}/status`,
    })
    app.page('/dialled', '<Hangup/>')
    const asked = await app.asked('/dialled')
    expect(asked['DialCallStatus'], first.printed() + second.printed()).toBe('completed')
    await app.completed(sid)
    const { body } = await trunkline.api('GET', `/Calls.json?ParentCallSid=${sid}`)
    expect(body['calls']).toHaveLength(1)
    const established = [first, second].filter((phone) =>
      phone.printed().includes('CALL_ESTABLISHED'),
    )
    expect(established.length).toBeGreaterThan(0)
    await expectNothingLeft(trunkline)
  })

  it('that is not registered is told to the log of the call as 32009', async () => {
    const { sid } = await trunkline.createCall({
      To: 'client:nobody',
      From: '+15551112222',
      Markup: '<Response/>',
      StatusCallback: `${app.url}/status`,
    })
    await app.completed(sid)
    const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
    expect(JSON.stringify(body)).toContain('32009')
  })
})

describe('a call at a SIP domain is refused', () => {
  const call = { domain: 'acme.example', user: 'alice', calls: '15551234567' }
  const numberOf = (answer: RegisterAnswer) => [
    answer.status,
    /"(\d+)/.exec(answer.headers('Warning')[0] ?? '')?.[1],
  ]

  it('without credentials, with wrong ones, or with those of nobody', async () => {
    await using client = await RegisterClient.open(trunkline.sipPort, '127.0.3.1')
    const first = await client.send(call)
    expect(first.status).toBe(401)
    expect(first.headers('WWW-Authenticate')).toHaveLength(2)
    const wrong = await client.register({ ...call, password: 'NotThePassword1' })
    expect(numberOf(wrong)).toEqual([403, '32202'])
    expect(numberOf(await client.register({ ...call, user: 'mallory' }))).toEqual([403, '32202'])
  })

  it('without TLS at a secure domain, or at one without lists', async () => {
    await using client = await RegisterClient.open(trunkline.sipPort, '127.0.3.2')
    await createSoftphoneDomain(trunkline, ['alice'], { DomainName: 'tls.example', Secure: 'true' })
    await trunkline.api('POST', '/SIP/Domains.json', { DomainName: 'empty.example' })
    const at = async (name: string) => numberOf(await client.register({ ...call, domain: name }))
    expect(await at('tls.example')).toEqual([403, '32209'])
    expect(await at('empty.example')).toEqual([403, '32201'])
  })

  it('from an address that no access list holds, and taken from one that is listed', async () => {
    const make = async (path: string, form: Readonly<Record<string, string>>) =>
      (await trunkline.api('POST', `/SIP${path}`, form)).body['sid'] as string
    const sid = await make('/Domains', { DomainName: 'pbx.example', VoiceUrl: `${app.url}/pbx` })
    const list = await make('/IpAccessControlLists', { FriendlyName: 'pbx' })
    await make(`/IpAccessControlLists/${list}/IpAddresses`, {
      FriendlyName: 'pbx',
      IpAddress: '127.0.4.0',
      CidrPrefixLength: '24',
    })
    await make(`/Domains/${sid}/IpAccessControlListMappings`, { IpAccessControlListSid: list })
    await using stranger = await RegisterClient.open(trunkline.sipPort, '127.0.3.3')
    const pbx = { ...call, domain: 'pbx.example' }
    expect(numberOf(await stranger.send(pbx))).toEqual([403, '32201'])
    await using listed = await RegisterClient.open(trunkline.sipPort, '127.0.4.7')
    app.page('/pbx', '<Reject/>')
    const answer = await listed.send({ ...pbx, headers: ['X-Trace: 42'] })
    expect(answer.status).not.toBe(401)
    const asked = await app.asked('/pbx')
    expect(asked).toMatchObject({ SipDomain: 'pbx.example', 'SipHeader_X-Trace': '42' })
    expect(asked['SipUsername']).toBeUndefined()
  })

  it('of one user with the From of another is shown as of the first', async () => {
    const made = await createSoftphoneDomain(trunkline, ['carol'], {
      DomainName: 'desk.example',
      VoiceUrl: `${app.url}/desk`,
    })
    app.page('/desk', '<Reject/>')
    await using client = await RegisterClient.open(trunkline.sipPort, '127.0.3.4')
    const carol = { domain: made.name, user: 'carol', calls: '15551234567' }
    await client.register({ ...carol, aor: 'president' })
    const asked = await app.asked('/desk')
    expect(asked).toMatchObject({
      From: 'sip:carol@desk.example',
      SipUsername: 'carol',
      'SipHeader_X-Claimed-From': 'sip:president@desk.example',
    })
  })
})
