import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startBaresip } from '../support/sip/baresip.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startSipp } from '../support/sip/sipp.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Callers who are asked to call somebody else instead. */
const SERVICE = '15551112222'
const SECOND = '15551113333'
const LIMIT_MS = 20_000
const AGENT = 'sip:agent@198.51.100.7?X-Account=17'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  const statusCallback = `${app.url}/status`
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice`, statusCallback })
  await trunkline.assignNumber(`+${SECOND}`, { voiceUrl: `${app.url}/second`, statusCallback })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
afterEach(() => expectNothingLeft(trunkline))

const verb = (target: string, action: string) =>
  `<Refer action="${action}"><Sip>${target}</Sip></Refer>`

const referParams = (params: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(params).filter(([name]) => /^(Refer|Notify|CallStatus)/.test(name)),
  )

/** What the action was told, when it was asked once. */
async function told(action: string): Promise<Readonly<Record<string, string>>> {
  const params = await app.asked(action)
  const callbacks = await app.completed(params['CallSid'] ?? '', LIMIT_MS)
  expect(callbacks.map(({ CallStatus }) => CallStatus)).toEqual(['completed'])
  await expectNothingLeft(trunkline)
  expect(app.sink.requests.filter(({ target }) => target === action)).toHaveLength(1)
  return params
}

async function calls(scenario: string, action: string): Promise<Readonly<Record<string, string>>> {
  app.page('/voice', verb(AGENT, action))
  const target = `127.0.0.1:${trunkline.sipPort}`
  await using caller = await startSipp({ scenario, target, service: SERVICE })
  const params = await told(action)
  await caller.done
  return params
}

describe('a caller that is referred', () => {
  it('and reaches the other hangs up: the action learns of both', async () => {
    expect(await calls('uac-is-referred', '/reached')).toMatchObject({
      ReferCallStatus: 'in-progress',
      ReferSipResponseCode: '202',
      NotifySipResponseCode: '200',
    })
  })

  it('and gives up before that is a call that is over: the action learns of it', async () => {
    const params = await calls('uac-leaves-while-referred', '/left')
    expect(referParams(params)).toEqual({
      CallStatus: 'completed',
      ReferCallStatus: 'canceled',
      ReferSipResponseCode: '202',
      NotifySipResponseCode: '180',
    })
  })

  it('and refuses stays, and goes on with what the action says', async () => {
    app.page('/refused', '<Say>Then we go on.</Say>')
    expect(referParams(await calls('uac-refuses-reference', '/refused'))).toEqual({
      CallStatus: 'in-progress',
      ReferCallStatus: 'failed',
      ReferSipResponseCode: '603',
    })
  })
})

describe('a called party that is referred', () => {
  it('and meets somebody busy stays', async () => {
    app.page('/busy', '<Say>They are busy.</Say>')
    await using callee = await startSipp({ scenario: 'uas-is-referred' })
    await trunkline.createCall({
      To: `sip:callee@127.0.0.1:${callee.port}`,
      From: `+${SERVICE}`,
      Markup: `<Response>${verb(AGENT, `${app.url}/busy`)}</Response>`,
      StatusCallback: `${app.url}/status`,
    })
    expect(await told('/busy')).toMatchObject({
      CallStatus: 'in-progress',
      ReferCallStatus: 'busy',
      ReferSipResponseCode: '202',
      NotifySipResponseCode: '486',
    })
    await callee.done
  })

  it.each([
    ['ended by the API', '/ended', { Status: 'completed' }, ['canceled']],
    ['given another document', '/never', { Markup: '<Response><Hangup/></Response>' }, []],
  ])('and is %s meanwhile: what the action is told', async (_title, action, update, told) => {
    const peer = await SipPeer.open()
    const invited = peer.nextCall(LIMIT_MS)
    const { sid } = await trunkline.createCall({
      To: peer.uri('callee'),
      From: `+${SERVICE}`,
      Markup: `<Response>${verb(AGENT, `${app.url}${action}`)}</Response>`,
      StatusCallback: `${app.url}/status`,
    })
    const call = await invited
    await call.answer()
    call.respond(202, 'Accepted', { to: await call.request('REFER', LIMIT_MS) })
    call.notify('180 Ringing', 'active;expires=60')
    await call.response(200, 'NOTIFY', LIMIT_MS)
    expect((await trunkline.api('POST', `/Calls/${sid}.json`, update)).status).toBe(200)
    await call.request('BYE', LIMIT_MS)
    const callbacks = await app.completed(sid, LIMIT_MS)
    expect(callbacks.map(({ CallStatus }) => CallStatus)).toEqual(['completed'])
    await expectNothingLeft(trunkline)
    if (told.length > 0)
      expect(await app.asked(action, sid)).toMatchObject({ CallStatus: 'completed' })
    const asked = app.sink.requests.filter(({ target }) => target === action)
    expect(asked.map(({ params }) => Object.fromEntries(params)['ReferCallStatus'])).toEqual(told)
    peer.close()
  })
})

describe('of two that talk', () => {
  let caller: SipPeer
  let callee: SipPeer
  beforeEach(async () => {
    ;[caller, callee] = await Promise.all([SipPeer.open(), SipPeer.open()])
  })
  afterEach(() => {
    caller.close()
    callee.close()
  })

  /** Caller and called party, talking. */
  async function talking(referUrl: string) {
    const called = [caller.nextCall(LIMIT_MS), callee.nextCall(LIMIT_MS)] as const
    const { sid } = await trunkline.createCall({
      To: caller.uri('caller'),
      From: `+${SERVICE}`,
      Markup: `<Response><Dial referUrl="${referUrl}"><Sip>${callee.uri('callee')}</Sip></Dial></Response>`,
      StatusCallback: `${app.url}/status`,
    })
    const first = await called[0]
    await first.answer()
    const second = await called[1]
    await second.answer()
    callee.rtp.speak(900)
    await waitUntil('they talk', () => caller.rtp.hears(900), LIMIT_MS)
    callee.rtp.speak(0)
    return { sid, caller: first, callee: second }
  }

  it.each([
    ['callee', 'caller'],
    ['caller', 'callee'],
  ] as const)('%s refers the %s, who goes on with what the referUrl says', async (by, other) => {
    const page = `/moved-by-${by}`
    app.page(page, `<Play>${app.url}/tone.wav</Play>`)
    const { sid, ...calls } = await talking(`${app.url}${page}`)
    calls[by].refer(AGENT)
    await calls[by].response(202, 'REFER', LIMIT_MS)
    const params = await app.asked(page)
    expect(params['ReferTransferTarget']).toBe(AGENT)
    expect(params['CallSid'] === sid).toBe(other === 'caller')
    await calls[by].request('BYE', LIMIT_MS)
    expect(calls[by].requests('NOTIFY').at(-1)?.body.trim()).toBe('SIP/2.0 200 OK')
    const { rtp } = { caller, callee }[other]
    await waitUntil('the other goes on', () => rtp.hears(440), LIMIT_MS)
    await calls[other].request('BYE', LIMIT_MS)
  })
})

it('a softphone that is referred calls the other by itself', async () => {
  await using phone = await startBaresip()
  app.page('/voice', verb(`sip:${SECOND}@127.0.0.1:${trunkline.sipPort}`, '/followed'))
  app.page('/second', '<Say>You have come to the other one.</Say>')
  phone.command('dial', `sip:${SERVICE}@127.0.0.1:${trunkline.sipPort}`)
  const params = await told('/followed').catch((cause: unknown) => {
    throw new Error(phone.printed(), { cause })
  })
  expect(params).toMatchObject({
    ReferCallStatus: 'in-progress',
    ReferSipResponseCode: '202',
    NotifySipResponseCode: '200',
  })
  const second = await app.asked('/second')
  expect(second['CallSid']).not.toBe(params['CallSid'])
  await app.completed(second['CallSid'] ?? '', LIMIT_MS)
})
