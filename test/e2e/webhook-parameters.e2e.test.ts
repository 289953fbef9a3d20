import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const NUMBER = '+14158675309'

let trunkline: RunningTrunkline
let app: VoiceApp
let peer: SipPeer
let callee: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  ;[peer, callee] = await Promise.all([SipPeer.open(), SipPeer.open()])
  await trunkline.assignNumber(NUMBER, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  for (const one of [peer, callee]) one.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

type Params = Readonly<Record<string, string>>

const PLACES = ['City', 'State', 'Zip', 'Country']
const placesOf = (...ends: string[]) => ends.flatMap((end) => PLACES.map((place) => end + place))

/** What the convention sends with every webhook of a call. */
const ALWAYS = [
  ...['CallSid', 'AccountSid', 'From', 'To', 'Caller', 'Called'],
  ...['CallStatus', 'ApiVersion', 'Direction'],
]
const STATUS = ['Timestamp', 'CallbackSource', 'SequenceNumber']
const COMPLETED = [...STATUS, 'CallDuration', 'Duration']

/** Exactly these, each with a value or, of places, perhaps none. */
function expectNames(params: Params, names: readonly string[]): void {
  expect(Object.keys(params).sort()).toEqual([...names].sort())
  const unsaid = Object.keys(params).filter((name) => params[name] === '')
  expect(unsaid.filter((name) => !/(?:City|State|Zip)$/.test(name))).toEqual([])
}

describe('the parameters of webhooks', () => {
  it('of a call from a number', async () => {
    app.page('/voice', '<Hangup/>')
    const call = peer.call(trunkline.sipPort, {
      user: NUMBER,
      from: '"Ann" <sip:+14158675310@carrier.test>;tag=1',
      headers: [
        ['X-Order', '7'],
        ['Diversion', '<sip:+15005550009@carrier.test>;reason=unconditional'],
      ],
    })
    await call.request('BYE', LIMIT_MS)
    const asked = await app.asked('/voice')
    const common = [
      ...[...ALWAYS, 'CallerName', 'ForwardedFrom', 'SipHeader_X-Order'],
      ...placesOf('From', 'Caller', 'To', 'Called'),
    ]
    expectNames(asked, common)
    expect(asked).toMatchObject({
      Direction: 'inbound',
      CallStatus: 'ringing',
      From: '+14158675310',
      To: NUMBER,
      ForwardedFrom: '+15005550009',
      CallerName: 'Ann',
    })
    const [ended] = await app.completed(asked['CallSid'] ?? '')
    expectNames(ended ?? {}, [...common, ...COMPLETED])
    await expectNothingLeft(trunkline)
  })

  it('have the name that is looked up, where the called number asks for it', async () => {
    app.page('/voice', '<Hangup/>')
    // A number of this server: what it shows is known without a provider.
    const caller = '+14158675311'
    await trunkline.assignNumber(caller, {})
    const set = async (path: string, body: object) => {
      const answer = await fetch(`${trunkline.http}/v2.2/numbers/${path}`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${trunkline.account.secret}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      expect(answer.status, await answer.text()).toBe(200)
    }
    await set(`${caller.slice(2)}/lidb`, { cnam: 'ACME LTD' })
    await set(`${NUMBER.slice(2)}/cnam`, { enabled: true })
    const nameIn = async (tag: string) => {
      const before = app.sink.requests.length
      const call = peer.call(trunkline.sipPort, {
        user: NUMBER,
        from: `"Ann" <sip:${caller}@carrier.test>;tag=${tag}`,
      })
      await call.request('BYE', LIMIT_MS)
      const request = app.sink.requests.slice(before).find(({ target }) => target === '/voice')
      const params = Object.fromEntries(request?.params ?? [])
      expect(params).toMatchObject({ From: caller })
      return params['CallerName']
    }
    expect(await nameIn('3')).toBe('ACME LTD')
    await set(`${NUMBER.slice(2)}/cnam`, { enabled: false })
    expect(await nameIn('4')).toBe('Ann')
    await expectNothingLeft(trunkline)
  })

  it('of a call from a SIP address', async () => {
    app.page('/voice', '<Hangup/>')
    const before = app.sink.requests.length
    const call = peer.call(trunkline.sipPort, {
      user: NUMBER,
      from: '<sip:ann@pbx.test>;tag=2',
    })
    await call.request('BYE', LIMIT_MS)
    const request = app.sink.requests.slice(before).find(({ target }) => target === '/voice')
    const asked: Params = Object.fromEntries(request?.params ?? [])
    expectNames(asked, [
      ...[...ALWAYS, 'SipDomain', 'SipSourceIp', 'SipCallId'],
      ...placesOf('To', 'Called'),
    ])
    expect(asked).toMatchObject({
      From: 'sip:ann@pbx.test',
      SipDomain: '127.0.0.1',
      SipSourceIp: '127.0.0.1',
      SipCallId: headerOf(call.invite, 'call-id'),
    })
    await expectNothingLeft(trunkline)
  })

  it('of a call to a SIP address, of its Dial and of the child', async () => {
    app.page(
      '/answered',
      `<Dial action="${app.url}/after"><Sip statusCallback="${app.url}/status">${callee.uri('b')}</Sip></Dial>`,
    )
    app.page('/after', '<Hangup/>')
    const [invited, called] = [peer.nextCall(LIMIT_MS), callee.nextCall(LIMIT_MS)]
    const { sid } = await trunkline.createCall({
      To: peer.uri('ann'),
      From: NUMBER,
      Url: `${app.url}/answered`,
      StatusCallback: `${app.url}/status`,
    })
    await (await invited).answer()
    const child = await called
    await child.answer()
    child.bye()
    const common = [...ALWAYS, 'SipCallId', ...placesOf('From', 'Caller')]
    const asked = await app.asked('/answered', sid)
    expectNames(asked, [...common, 'SipResponseCode'])
    expect(asked).toMatchObject({ Direction: 'outbound-api', CallStatus: 'in-progress' })
    const after = await app.asked('/after', sid)
    expectNames(after, [
      ...[...common, 'SipResponseCode'],
      ...['DialCallStatus', 'DialCallSid', 'DialCallDuration', 'DialBridged'],
      ...['DialSipCallId', 'DialSipResponseCode'],
    ])
    const [ended] = await app.completed(sid)
    expectNames(ended ?? {}, [...common, ...COMPLETED, 'SipResponseCode'])
    const [childEnded] = await app.completed(after['DialCallSid'] ?? '')
    expectNames(childEnded ?? {}, [...common, ...COMPLETED, 'SipResponseCode', 'ParentCallSid'])
    expect(childEnded).toMatchObject({ ParentCallSid: sid, Direction: 'outbound-dial' })
    await expectNothingLeft(trunkline)
  })

  it('of keys, and of who answered', async () => {
    app.page('/keys', '<Hangup/>')
    const invited = peer.nextCall(LIMIT_MS)
    const { sid } = await trunkline.createCall({
      To: peer.uri('ann'),
      From: NUMBER,
      Markup: `<Response><Gather numDigits="1" action="${app.url}/keys"><Play loop="0">${app.url}/tone.wav</Play></Gather></Response>`,
      MachineDetection: 'Enable',
      AsyncAmdStatusCallback: `${app.url}/amd`,
    })
    await (await invited).answer()
    // The Gather runs once its prompt is heard.
    await expect.poll(() => peer.rtp.hears(440), { timeout: LIMIT_MS }).toBe(true)
    await peer.rtp.sendDigit('5')
    const asked = await app.asked('/keys', sid)
    expect(asked).toMatchObject({ Digits: '5', FinishedOnKey: '', msg: 'Gather End' })
    const told = await app.asked('/amd', sid)
    expectNames(told, ['CallSid', 'AccountSid', 'AnsweredBy', 'MachineDetectionDuration'])
    await expectNothingLeft(trunkline)
  })
})
