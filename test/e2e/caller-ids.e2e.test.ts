import twilio from 'twilio'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const SERVICE = '+15559990000'

let trunkline: RunningTrunkline
let app: VoiceApp
let phone: SipPeer
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  trunkline = await startTrunkline({ VERIFICATION_CALLER_ID: SERVICE })
  app = await startVoiceApp()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
beforeEach(async () => {
  phone = await SipPeer.open()
  // The number's own network: every call to +1555… rings this phone.
  const carrier = { host: '127.0.0.1', port: phone.port, prefixes: ['+1555'], priority: 0 }
  expect((await trunkline.adminApi('PUT', '/carriers/phones', carrier)).status).toBe(200)
})
afterEach(async () => {
  await expectNothingLeft(trunkline)
  phone.close()
})

type Wanted = Parameters<typeof client.validationRequests.create>[0]

/** Asks for a verification call; resolves with the code and the ringing call. */
async function verify(phoneNumber: string, more: Partial<Wanted> = {}) {
  const invited = phone.nextCall(LIMIT_MS)
  const request = await client.validationRequests.create({
    phoneNumber,
    statusCallback: `${app.url}/verified`,
    ...more,
  })
  return { request, code: request.validationCode, call: await invited }
}

/** Waits for the prompt of that attempt and enters a code into it. */
async function enter(code: string, callSid: string, attempt = 1): Promise<void> {
  const prompts = async () => {
    const { body } = await trunkline.api('GET', `/Calls/${callSid}/Events.json?PageSize=1000`)
    const events = body['events'] as { kind: string; detail: { verb?: string } }[]
    return events.filter(({ kind, detail }) => kind === 'verb' && detail.verb === 'Gather').length
  }
  await waitUntil(
    'its turn',
    async () => (await prompts()) >= attempt,
    LIMIT_MS,
    () => '',
    50,
  )
  await waitUntil('a prompt', () => !phone.rtp.isQuiet(), LIMIT_MS)
  for (const key of code) await phone.rtp.sendDigit(key)
  phone.rtp.forget()
}

const wrong = (code: string) => (code === '000000' ? '111111' : '000000')
const told = (callSid: string) => app.asked('/verified', callSid)
const ended = (call: PeerCall) => call.request('BYE', LIMIT_MS)

describe('a verification call', () => {
  it('asks for the code, and the number can then be shown as From', async () => {
    const number = '+15551230001'
    const { request, code, call } = await verify(number, { friendlyName: 'My desk' })
    expect(request).toMatchObject({ phoneNumber: number, friendlyName: 'My desk' })
    expect(headerOf(call.invite, 'from')).toContain(SERVICE)
    await call.answer()
    await enter(code, request.callSid)
    const callback = await told(request.callSid)
    expect(callback).toMatchObject({
      AccountSid: trunkline.account.sid,
      CallSid: request.callSid,
      To: number,
      From: SERVICE,
      VerificationStatus: 'success',
      OutgoingCallerIdSid: expect.stringMatching(/^PN[0-9a-f]{32}$/) as unknown,
    })
    await ended(call)
    const [found] = await client.outgoingCallerIds.list({ phoneNumber: number })
    expect(found).toMatchObject({
      sid: callback['OutgoingCallerIdSid'],
      friendlyName: 'My desk',
      phoneNumber: number,
    })

    const path = `/accounts/${trunkline.account.sid}`
    await trunkline.adminApi('PATCH', path, { settings: { callerIds: 'owned-or-verified' } })
    const place = (from: string) =>
      client.calls.create({ to: '+15005550005', from, twiml: '<Response/>' })
    await expect(place('+15551239999')).rejects.toMatchObject({ status: 400, code: 21210 })
    expect((await place(number)).from).toBe(number)
    await trunkline.adminApi('PATCH', path, { settings: { callerIds: null } })
    await expect(client.validationRequests.create({ phoneNumber: number })).rejects.toMatchObject({
      status: 400,
      code: 21450,
    })
  })

  it('takes a second and a third attempt, and ends without success after that', async () => {
    const number = '+15551230002'
    const first = await verify(number)
    await first.call.answer()
    for (const attempt of [1, 2, 3]) await enter(wrong(first.code), first.request.callSid, attempt)
    await ended(first.call)
    expect(await told(first.request.callSid)).toMatchObject({
      CallStatus: 'completed',
      VerificationStatus: 'failed',
    })
    expect(await client.outgoingCallerIds.list({ phoneNumber: number })).toEqual([])

    const second = await verify(number)
    expect(second.request.callSid).not.toBe(first.request.callSid)
    await second.call.answer()
    await enter(wrong(second.code), second.request.callSid)
    await enter(second.code, second.request.callSid, 2)
    expect(await told(second.request.callSid)).toMatchObject({ VerificationStatus: 'success' })
    await ended(second.call)
  })

  it('dials the extension first', async () => {
    const { request, code, call } = await verify('+15551230003', { extension: 'w42#' })
    await call.answer()
    await waitUntil('the extension', () => phone.rtp.digits.join('') === '42#', LIMIT_MS)
    await enter(code, request.callSid)
    expect(await told(request.callSid)).toMatchObject({ VerificationStatus: 'success' })
    await ended(call)
  })

  it('waits for CallDelay', async () => {
    const before = Date.now()
    const { request, call } = await verify('+15551230004', { callDelay: 2 })
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_900)
    call.respond(486, 'Busy Here')
    expect(await told(request.callSid)).toMatchObject({
      CallStatus: 'busy',
      VerificationStatus: 'failed',
    })
  })

  it('fails when the called party hangs up', async () => {
    const { request, call } = await verify('+15551230005')
    await call.answer()
    await waitUntil('a prompt', () => !phone.rtp.isQuiet(), LIMIT_MS)
    call.bye()
    expect(await told(request.callSid)).toMatchObject({
      CallStatus: 'completed',
      VerificationStatus: 'failed',
    })
    expect(await client.outgoingCallerIds.list({ phoneNumber: '+15551230005' })).toEqual([])
  })

  it('verifies nothing when another document takes the call over', async () => {
    const { request, code, call } = await verify('+15551230006')
    await call.answer()
    await waitUntil('a prompt', () => !phone.rtp.isQuiet(), LIMIT_MS)
    await client
      .calls(request.callSid)
      .update({ twiml: '<Response><Gather numDigits="6"><Say>Hello.</Say></Gather></Response>' })
    phone.rtp.forget()
    // The second Gather is that of the other document.
    await enter(code, request.callSid, 2)
    await ended(call)
    expect(await told(request.callSid)).toMatchObject({ VerificationStatus: 'failed' })
  })
})

describe('Dial on an account that may show only numbers that it holds', () => {
  const OWN = '+15557770000'
  const CALLER = '15558880000'

  beforeAll(async () => {
    await trunkline.assignNumber(OWN, { voiceUrl: `${app.url}/dial` })
    const path = `/accounts/${trunkline.account.sid}`
    await trunkline.adminApi('PATCH', path, { settings: { callerIds: 'owned-or-verified' } })
  })
  afterAll(async () => {
    const path = `/accounts/${trunkline.account.sid}`
    await trunkline.adminApi('PATCH', path, { settings: { callerIds: null } })
  })

  const resultOf = async (callerId: string) => {
    app.page('/dial', `<Dial ${callerId} action="/dialed">+15005550005</Dial>`)
    const from = `<sip:+${CALLER}@127.0.0.1>;tag=${Math.random()}`
    const call = phone.call(trunkline.sipPort, { user: OWN.slice(1), from })
    await call.response(200, 'INVITE', LIMIT_MS)
    const [latest] = await client.calls.list({ to: OWN, limit: 1 })
    const sid = latest?.sid ?? ''
    const { DialCallStatus } = await app.asked('/dialed', sid)
    await call.request('BYE', LIMIT_MS).catch(() => {
      call.bye()
    })
    const events = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=1000`)
    const errors = (events.body['events'] as { kind: string; detail: { code?: number } }[])
      .filter(({ kind }) => kind === 'error')
      .map(({ detail }) => detail.code)
    return { DialCallStatus, errors }
  }

  it.each([
    ['the caller itself', '', 'busy', []],
    ['the number that was called', `callerId="${OWN}"`, 'busy', []],
    ['a number of nobody', 'callerId="+15551110000"', 'failed', [13247]],
  ])('shows %s: %s', async (_what, callerId, status, errors) => {
    expect(await resultOf(callerId)).toEqual({ DialCallStatus: status, errors })
  })
})
