/** Calls to 911 and 933: where they go, what they carry, and that nothing stops them. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf, type PeerMessage } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const NUMBER = '+12125550143'
/** A number of the account without an address. */
const BARE = '+12125550144'
const DOMAIN = 'office.example'
/** A lab phone that answers and stays silent. */
const SILENT = '+15005550002'
const ADDRESS = {
  address1: '350 Fifth Ave',
  address2: 'Floor 21',
  city: 'New York',
  state: 'NY',
  zip: '10118',
}

let trunkline: RunningTrunkline
let app: VoiceApp
let psap: SipPeer

beforeAll(async () => {
  trunkline = await startTrunkline({ MAX_CALLS: '2', ACCOUNT_REQUESTS_PER_HOUR: '0' })
  app = await startVoiceApp()
  psap = await SipPeer.open()
  const { sid } = trunkline.account
  await done(trunkline.adminApi('PATCH', `/accounts/${sid}`, { isAdministrator: true }))
  await account('PUT', '/account', { e911: true })
  for (const number of [NUMBER, BARE])
    await trunkline.assignNumber(number, { voiceUrl: `${app.url}/voice` })
  await account('POST', '/e911', { ...ADDRESS, dn: NUMBER.slice(2), callername: 'Acme Ltd' })
  const carrier = { host: '127.0.0.1', port: psap.port, prefixes: [], emergency: true, maxCalls: 1 }
  await done(trunkline.adminApi('PUT', '/carriers/psap', carrier))
  await makeDomain()
}, 60_000)
afterEach(() => expectNothingLeft(trunkline))
afterAll(async () => {
  psap.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

async function done(asked: Promise<{ status: number; body: unknown }>): Promise<unknown> {
  const { status, body } = await asked
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body
}

/** Sends a request to the account API with the key of the account. */
async function account(method: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${trunkline.http}/v2.2${path}`, {
    method,
    headers: {
      authorization: `Bearer ${trunkline.account.secret}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  expect(answer.status, await answer.text()).toBeLessThan(300)
}

/** Makes a domain whose callers are known by their address, and call 911 as NUMBER. */
async function makeDomain(): Promise<void> {
  const make = async (path: string, form: Readonly<Record<string, string>>) =>
    ((await done(trunkline.api('POST', `/SIP${path}.json`, form))) as { sid: string }).sid
  const numbers = await trunkline.api(
    'GET',
    `/IncomingPhoneNumbers.json?PhoneNumber=%2B${NUMBER.slice(1)}`,
  )
  const [held] = numbers.body['incoming_phone_numbers'] as { sid: string }[]
  expect(held).toMatchObject({
    emergency_status: 'Active',
    emergency_address_status: 'registered',
  })
  const domain = await make('/Domains', {
    DomainName: DOMAIN,
    EmergencyCallingEnabled: 'true',
    EmergencyCallerSid: held?.sid ?? '',
  })
  const list = await make('/IpAccessControlLists', { FriendlyName: 'here' })
  await make(`/IpAccessControlLists/${list}/IpAddresses`, {
    FriendlyName: 'loopback',
    IpAddress: '127.0.0.1',
  })
  const mapping = { IpAccessControlListSid: list }
  await make(`/Domains/${domain}/Auth/Calls/IpAccessControlListMappings`, mapping)
}

const fromSoftphone = { host: DOMAIN, from: `<sip:alice@${DOMAIN}>;tag=alice` }

function expectLocation(invite: PeerMessage): void {
  expect(invite.startLine).toBe(
    `INVITE sip:911@127.0.0.1:${String(psap.port)};transport=udp SIP/2.0`,
  )
  expect(headerOf(invite, 'from')).toContain(`"Acme Ltd" <sip:${NUMBER}@`)
  expect(headerOf(invite, 'priority')).toBe('emergency')
  expect(headerOf(invite, 'geolocation-routing')).toBe('yes')
  const [, contentId = ''] = /^<cid:(.+)>$/.exec(headerOf(invite, 'geolocation')) ?? []
  const [, boundary = ''] =
    /^multipart\/mixed;\s*boundary="?([^"]+)"?$/.exec(headerOf(invite, 'content-type')) ?? []
  const [, sdp = '', location = '', end] = invite.body.split(`--${boundary}`)
  expect(end?.trim()).toBe('--')
  expect(sdp).toMatch(/^\r\nContent-Type: application\/sdp\r\n\r\nv=0\r\n/)
  expect(location).toContain('Content-Type: application/pidf+xml\r\n')
  expect(location).toContain(`Content-ID: <${contentId}>\r\n`)
  for (const part of ['A1>NY', 'A3>New York', 'RD>Fifth', 'STS>Ave', 'HNO>350', 'FLR>Floor 21'])
    expect(location).toContain(`<ca:${part}<`)
}

it('911 reaches the emergency carrier with its location, whatever is full or spent', async () => {
  const path = `/accounts/${trunkline.account.sid}`
  const pages = { Markup: '<Response><Pause length="60"/></Response>', From: BARE }
  await done(
    trunkline.adminApi('PATCH', path, { settings: { concurrentCalls: 2, callsPerSecond: 1 } }),
  )
  const others = [await trunkline.createCall({ ...pages, To: SILENT })]
  others.push(await trunkline.createCall({ ...pages, To: SILENT }))
  for (const { sid } of others)
    await waitUntil(
      'a call talks',
      async () => (await trunkline.fetchCall(sid)).status === 'in-progress',
      LIMIT_MS,
    )
  await done(trunkline.adminApi('POST', `${path}/adjustments`, { amount: -5 }))
  const full = await trunkline.api('POST', '/Calls.json', { ...pages, To: SILENT })
  expect(full.status).toBe(429)
  const arriving = psap.nextCall(LIMIT_MS)
  const { sid } = await trunkline.createCall({ ...pages, From: NUMBER, To: '911' })
  const call = await arriving
  expectLocation(call.invite)
  await call.answer()
  await waitUntil(
    '911 talks',
    async () => (await trunkline.fetchCall(sid)).status === 'in-progress',
    LIMIT_MS,
  )
  call.bye()
  await waitUntil(
    '911 is over',
    async () => (await trunkline.fetchCall(sid)).status === 'completed',
    LIMIT_MS,
  )
  expect((await trunkline.fetchCall(sid))['price']).toBeNull()
  for (const other of others)
    await trunkline.api('POST', `/Calls/${other.sid}.json`, { Status: 'completed' })
})

it('without an address 911 is refused, and the call is not placed', async () => {
  const asked = { To: '911', From: BARE, Markup: '<Response/>' }
  const refused = await trunkline.api('POST', '/Calls.json', asked)
  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject({ code: 21216 })
  expect(psap.calls).toHaveLength(1)
})

it('a softphone calls 911 without a webhook, and is heard there', async () => {
  using phone = await SipPeer.open()
  const arriving = psap.nextCall(LIMIT_MS)
  const caller = phone.call(trunkline.sipPort, { ...fromSoftphone, user: '911' })
  const call = await arriving
  expectLocation(call.invite)
  // The sound is placed by its timestamps, which begin anew with each call.
  psap.rtp.forget()
  await call.answer()
  await caller.response(200, 'INVITE', LIMIT_MS)
  phone.rtp.speak(440)
  await psap.rtp.waitForTone(440)
  caller.bye()
  await caller.response(200, 'BYE', LIMIT_MS)
  await call.request('BYE', LIMIT_MS)
})

it('a softphone calls the emergency service by its name, urn:service:sos', async () => {
  using phone = await SipPeer.open()
  const arriving = psap.nextCall(LIMIT_MS)
  const caller = phone.call(trunkline.sipPort, { ...fromSoftphone, uri: 'urn:service:sos' })
  const call = await arriving
  expectLocation(call.invite)
  await call.answer()
  await caller.response(200, 'INVITE', LIMIT_MS)
  caller.bye()
  await caller.response(200, 'BYE', LIMIT_MS)
  await call.request('BYE', LIMIT_MS)
})

it('933 reads the address back, without a carrier', async () => {
  using phone = await SipPeer.open()
  const caller = phone.call(trunkline.sipPort, { ...fromSoftphone, user: '933' })
  await caller.response(200, 'INVITE', LIMIT_MS)
  const spoken = async () => {
    const { body } = await trunkline.api(
      'GET',
      `/Calls.json?To=${encodeURIComponent(`sip:933@${DOMAIN}`)}`,
    )
    const [call] = body['calls'] as { sid: string }[]
    if (call === undefined) return false
    const events = await trunkline.api('GET', `/Calls/${call.sid}/Events.json`)
    return JSON.stringify(events.body).includes('350 Fifth Ave, Floor 21, New York, NY 10118')
  }
  await waitUntil('the address is spoken', spoken, LIMIT_MS)
  const isLoud = () => phone.rtp.heard().some((sample) => Math.abs(sample) > 1_000)
  await waitUntil('speech is heard', () => isLoud(), LIMIT_MS)
  caller.bye()
  await caller.response(200, 'BYE', LIMIT_MS)
  expect(psap.calls).toHaveLength(3)
})

it('a document that dials 933 has its caller hear the address', async () => {
  app.page('/voice', `<Dial callerId="${NUMBER}" action="/after"><Number>933</Number></Dial>`)
  app.page('/after', '<Hangup/>')
  using phone = await SipPeer.open()
  const caller = phone.call(trunkline.sipPort, { user: BARE })
  await caller.response(200, 'INVITE', LIMIT_MS)
  const isLoud = () => phone.rtp.heard().some((sample) => Math.abs(sample) > 1_000)
  await waitUntil('speech is heard', () => isLoud(), LIMIT_MS)
  caller.bye()
  await caller.response(200, 'BYE', LIMIT_MS)
  expect(await app.asked('/after')).toMatchObject({ DialCallStatus: 'completed' })
})
