import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline, WireCall } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const NUMBER = '+15551112222'
/** What the network of the called party says before the answer. */
const EARLY_HZ = 620

let trunkline: RunningTrunkline
let app: VoiceApp
let caller: SipPeer
let callee: SipPeer
let second: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  ;[caller, callee, second] = await Promise.all([SipPeer.open(), SipPeer.open(), SipPeer.open()])
  app.page('/after', '<Hangup/>')
})
afterAll(async () => {
  for (const peer of [caller, callee, second]) peer.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Calls the caller, who answers, and runs these verbs. */
async function run(verbs: string): Promise<{ sid: string; call: PeerCall }> {
  const invited = caller.nextCall(LIMIT_MS)
  const { sid } = await trunkline.createCall({
    To: caller.uri('caller'),
    From: NUMBER,
    Markup: `<Response>${verbs}</Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const call = await invited
  await call.answer()
  return { sid, call }
}

const action = () => `action="${app.url}/after"`
const sip = (peer: SipPeer, attributes = '') => `<Sip ${attributes}>${peer.uri('callee')}</Sip>`

async function childrenOf(parent: string): Promise<WireCall[]> {
  const { body } = await trunkline.api('GET', `/Calls.json?ParentCallSid=${parent}`)
  return body['calls'] as WireCall[]
}

/** Statuses of the children once all have ended. */
async function endedChildren(parent: string): Promise<string[]> {
  await expectNothingLeft(trunkline)
  return (await childrenOf(parent)).map(({ status }) => status).sort()
}

async function hear(peer: SipPeer, hz: number): Promise<void> {
  await waitUntil(`${hz} Hz are heard`, () => peer.rtp.hears(hz), LIMIT_MS)
}

/** Both speak, and each hears the other. */
async function talk(one: SipPeer, other: SipPeer): Promise<void> {
  // What an earlier test has let them hear is no talk of this one.
  one.rtp.forget()
  other.rtp.forget()
  one.rtp.speak(500)
  other.rtp.speak(900)
  await Promise.all([hear(one, 900), hear(other, 500)])
}

describe('a caller who is connected', () => {
  it('hears ringing, then the called party and is heard, until that one hangs up, and goes on', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid, call } = await run(`<Dial>${sip(callee)}</Dial><Play>${app.url}/tone.wav</Play>`)
    const child = await invited
    child.ring()
    await waitUntil('ringing is heard', () => caller.rtp.hearsRinging(), LIMIT_MS)
    await child.answer()
    await talk(caller, callee)
    const [record] = await childrenOf(sid)
    expect(record).toMatchObject({
      status: 'in-progress',
      direction: 'outbound-dial',
      parent_call_sid: sid,
      from: NUMBER,
    })
    child.bye()
    await hear(caller, 440)
    call.bye()
    expect(await app.completed(sid)).toHaveLength(1)
    expect(await endedChildren(sid)).toEqual(['completed'])
  })

  it('leaves no called party behind when it hangs up', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid, call } = await run(`<Dial ${action()}>${sip(callee)}</Dial>`)
    const child = await invited
    await child.answer()
    await talk(caller, callee)
    call.bye()
    await child.request('BYE', LIMIT_MS)
    expect(await app.completed(sid)).toHaveLength(1)
    expect(await endedChildren(sid)).toEqual(['completed'])
  })

  it('has its action asked when it hangs up first, with status, duration and recording', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid, call } = await run(
      `<Dial record="true" ${action()}>${sip(callee)}</Dial><Say>x</Say>`,
    )
    const child = await invited
    await child.answer()
    await talk(caller, callee)
    call.bye()
    await child.request('BYE', LIMIT_MS)
    const [record] = await childrenOf(sid)
    const asked = await app.asked('/after', sid)
    expect(asked).toMatchObject({
      CallSid: sid,
      CallStatus: 'completed',
      DialCallStatus: 'completed',
      DialCallSid: record?.sid,
      DialBridged: 'true',
    })
    expect(asked['DialCallDuration']).toMatch(/^\d+$/)
    expect(asked['RecordingUrl']).toMatch(/\/Recordings\/RE[0-9a-f]{32}$/)
    expect(await endedChildren(sid)).toEqual(['completed'])
  })

  it('has its action asked when it hangs up before anybody answers', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid, call } = await run(`<Dial ${action()}>${sip(callee)}</Dial>`)
    const child = await invited
    child.ring()
    await waitUntil('ringing is heard', () => caller.rtp.hearsRinging(), LIMIT_MS)
    call.bye()
    await child.request('CANCEL', LIMIT_MS)
    expect(await app.asked('/after', sid)).toMatchObject({
      CallStatus: 'completed',
      DialCallStatus: 'canceled',
      DialBridged: 'false',
    })
    expect(await endedChildren(sid)).toEqual(['canceled'])
  })

  it.each([
    ['its time is over', 'timeLimit="1"', () => undefined],
    ['it presses the star', 'hangupOnStar="true"', () => caller.rtp.sendDigit('*')],
  ])('is parted when %s, and the action learns of it', async (_title, attribute, act) => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await run(`<Dial ${attribute} ${action()}>${sip(callee)}</Dial>`)
    const child = await invited
    await child.answer()
    if (attribute.startsWith('hangup')) await talk(caller, callee)
    await act()
    await child.request('BYE', LIMIT_MS)
    const [record] = await childrenOf(sid)
    expect(await app.asked('/after', sid)).toMatchObject({
      CallSid: sid,
      DialCallStatus: 'completed',
      DialCallSid: record?.sid,
      DialBridged: 'true',
      DialSipResponseCode: '200',
      DialSipCallId: headerOf(child.invite, 'call-id'),
    })
    expect(await endedChildren(sid)).toEqual(['completed'])
  })

  it('gets the first of several who answers; the others are canceled', async () => {
    const invited = [callee.nextCall(LIMIT_MS), second.nextCall(LIMIT_MS)]
    const { sid } = await run(`<Dial ${action()}>${sip(callee)}${sip(second)}</Dial>`)
    const [slow, quick] = await Promise.all(invited)
    slow?.ring()
    quick?.ring()
    await quick?.answer()
    await slow?.request('CANCEL', LIMIT_MS)
    await talk(caller, second)
    quick?.bye()
    expect(await app.asked('/after', sid)).toMatchObject({ DialCallStatus: 'completed' })
    expect(await endedChildren(sid)).toEqual(['canceled', 'completed'])
  })

  it('gets the second in turn when the first is busy', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await run(
      `<Dial sequential="true" ${action()}>${sip(callee)}${sip(second)}</Dial>`,
    )
    const next = second.nextCall(LIMIT_MS)
    ;(await invited).respond(486, 'Busy Here')
    const child = await next
    await child.answer()
    await talk(caller, second)
    child.bye()
    expect(await app.asked('/after', sid)).toMatchObject({ DialCallStatus: 'completed' })
    expect(await endedChildren(sid)).toEqual(['busy', 'completed'])
  })
})

describe('a Dial that reaches nobody', () => {
  it.each([
    ['busy', '+15005550005'],
    ['no-answer', '+15005550006'],
    ['failed', '+15005550011'],
    ['failed', '+44 20 7946 0018'],
    ['no-answer', '+15005550007'],
  ])('ends as %s with %s', async (status, number) => {
    const { sid } = await run(`<Dial timeout="5" ${action()}>${number}</Dial>`)
    expect(await app.asked('/after', sid)).toMatchObject({
      DialCallStatus: status,
      DialBridged: 'false',
      DialCallDuration: '0',
    })
    expect(await endedChildren(sid)).toEqual([status])
  })

  it('tells its own callbacks of the child, in order, with the parent', async () => {
    const events = 'initiated ringing answered completed'
    const { sid } = await run(
      `<Dial ${action()}><Number statusCallback="${app.url}/status" statusCallbackEvent="${events}">+15005550009</Number></Dial>`,
    )
    const child = (await app.asked('/after', sid))['DialCallSid'] ?? ''
    const callbacks = await app.completed(child)
    expect(callbacks.map((params) => [params['SequenceNumber'], params['CallStatus']])).toEqual([
      ['0', 'initiated'],
      ['1', 'ringing'],
      ['2', 'in-progress'],
      ['3', 'completed'],
    ])
    for (const params of callbacks) {
      expect(params).toMatchObject({ ParentCallSid: sid, Direction: 'outbound-dial', From: NUMBER })
    }
    await expectNothingLeft(trunkline)
  })
})

describe('a called party', () => {
  it.each([
    ['accepts by hearing it out', `<Play digits="7"/>`, 'completed', 'true'],
    ['declines by its Hangup', '<Hangup/>', 'no-answer', 'false'],
    ['cannot dial in it', '<Dial>+15005550001</Dial>', 'no-answer', 'false'],
  ])('is screened and %s', async (_title, verbs, status, bridged) => {
    app.page('/screen', verbs)
    callee.rtp.forget()
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await run(
      `<Dial ${action()}>${sip(callee, `url="${app.url}/screen" sendDigits="5"`)}</Dial>`,
    )
    const child = await invited
    await child.answer()
    await waitUntil('its digits come', () => callee.rtp.digits.includes('5'), LIMIT_MS)
    if (bridged === 'true') {
      await talk(caller, callee)
      child.bye()
    }
    expect(await app.asked('/after', sid)).toMatchObject({
      DialCallStatus: status,
      DialBridged: bridged,
    })
    const [record] = await childrenOf(sid)
    expect(await app.asked('/screen', record?.sid)).toMatchObject({
      ParentCallSid: sid,
      CallStatus: 'in-progress',
    })
    expect(await endedChildren(sid)).toEqual(['completed'])
  })

  it('is taken out of the talk by another document, and the Dial is over', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await run(`<Dial ${action()}>${sip(callee)}</Dial>`)
    const child = await invited
    await child.answer()
    await talk(caller, callee)
    const [record] = await childrenOf(sid)
    const { status } = await trunkline.api('POST', `/Calls/${record?.sid ?? ''}.json`, {
      Twiml: `<Response><Play>${app.url}/tone.wav</Play></Response>`,
    })
    expect(status).toBe(200)
    await hear(callee, 440)
    expect(await app.asked('/after', sid)).toMatchObject({
      DialCallStatus: 'completed',
      DialBridged: 'true',
    })
    expect(await endedChildren(sid)).toEqual(['completed'])
  })

  it('is hung up when the caller is given another document', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await run(`<Dial ${action()}>${sip(callee)}</Dial>`)
    const child = await invited
    await child.answer()
    await talk(caller, callee)
    await trunkline.api('POST', `/Calls/${sid}.json`, {
      Twiml: `<Response><Play>${app.url}/tone.wav</Play></Response>`,
    })
    await hear(caller, 440)
    await child.request('BYE', LIMIT_MS)
    expect(await endedChildren(sid)).toEqual(['completed'])
  })

  it('gets the headers of the noun, and its own reach the action', async () => {
    const invited = callee.nextCall(LIMIT_MS)
    const { sid } = await run(
      `<Dial callerId="+15559998888" ${action()}><Sip>${callee.uri('callee')}?X-Order=a%20b&amp;User-to-User=12</Sip></Dial>`,
    )
    const child = await invited
    expect(headerOf(child.invite, 'x-order')).toBe('a b')
    expect(headerOf(child.invite, 'user-to-user')).toBe('12')
    expect(headerOf(child.invite, 'from')).toContain('+15559998888')
    child.respond(486, 'Busy Here', { headers: [['X-Reason', 'lunch']] })
    expect(await app.asked('/after', sid)).toMatchObject({
      DialCallStatus: 'busy',
      DialSipResponseCode: '486',
      'DialSipHeader_X-Reason': 'lunch',
    })
    expect(await endedChildren(sid)).toEqual(['busy'])
  })
})

describe('a caller from outside', () => {
  it.each([
    ['hears its own network ring', '', 180],
    ['hears a ring of another country early', 'ringTone="fr"', 183],
  ])('%s, and is answered when the called party is', async (_title, attribute, status) => {
    await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/voice` })
    app.page('/voice', `<Dial answerOnBridge="true" ${attribute} ${action()}>${sip(callee)}</Dial>`)
    const invited = callee.nextCall(LIMIT_MS)
    const call = caller.call(trunkline.sipPort, { user: NUMBER })
    const child = await invited
    child.ring()
    await call.response(status, 'INVITE', LIMIT_MS)
    if (status === 183) await hear(caller, 440)
    expect(call.log.some((message) => message.status === 200)).toBe(false)
    await child.answer()
    await call.response(200, 'INVITE', LIMIT_MS)
    await talk(caller, callee)
    child.bye()
    await call.request('BYE', LIMIT_MS)
    await expectNothingLeft(trunkline)
  })

  it.each([
    '',
    'ringTone="fr"',
  ])('hears what the called network says before it answers, with %s', async (attribute) => {
    await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/voice` })
    app.page('/voice', `<Dial answerOnBridge="true" ${attribute} ${action()}>${sip(callee)}</Dial>`)
    const invited = callee.nextCall(LIMIT_MS)
    const call = caller.call(trunkline.sipPort, { user: NUMBER })
    const child = await invited
    if (attribute !== '') await hear(caller, 440)
    callee.rtp.speak(EARLY_HZ)
    child.respond(183, 'Session Progress', { sdp: callee.sdp() })
    await hear(caller, EARLY_HZ)
    expect(call.log.some((message) => message.status === 200)).toBe(false)
    await child.answer()
    await call.response(200, 'INVITE', LIMIT_MS)
    await talk(caller, callee)
    child.bye()
    await call.request('BYE', LIMIT_MS)
    await expectNothingLeft(trunkline)
  })
})
