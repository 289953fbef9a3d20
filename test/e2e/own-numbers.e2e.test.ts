import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline, WireCall } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const CALLER = '+15550001000'
const NUMBER = '+15550002001'
const OTHER = '+15550002002'
const NEVER_ANSWERS = '+15005550007'

let trunkline: RunningTrunkline
let app: VoiceApp
let peer: SipPeer
let second: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  ;[peer, second] = await Promise.all([SipPeer.open(), SipPeer.open()])
})
beforeEach(async () => {
  app = await startVoiceApp()
  for (const number of [NUMBER, OTHER])
    await trunkline.assignNumber(number, {
      voiceUrl: `${app.url}/called${number.slice(-4)}`,
      statusCallback: `${app.url}/status`,
    })
})
afterEach(async () => {
  await expectNothingLeft(trunkline)
  await app[Symbol.asyncDispose]()
})
afterAll(async () => {
  peer.close()
  second.close()
  await trunkline[Symbol.asyncDispose]()
})

/** The document of the called number. */
const answersWith = (verbs: string, number = NUMBER) => {
  app.page(`/called${number.slice(-4)}`, verbs)
}
/** Calls the number by REST; the caller's side runs these verbs. */
const call = (verbs: string, form: Readonly<Record<string, string>> = {}) =>
  trunkline.createCall({
    To: NUMBER,
    From: CALLER,
    Markup: `<Response>${verbs}</Response>`,
    StatusCallback: `${app.url}/status`,
    ...form,
  })
const calls = async (query: string) =>
  (await trunkline.api('GET', `/Calls.json?${query}`)).body['calls'] as WireCall[]
const statuses = (found: readonly Readonly<Record<string, string>>[]) =>
  found.map((params) => params['CallStatus'])

describe('a call by REST to a number of this system', () => {
  it('runs the documents of both sides, and each has its own call', async () => {
    answersWith(
      `<Gather numDigits="2" timeout="10" action="${app.url}/pressed"><Pause length="10"/></Gather>`,
    )
    app.page('/pressed', '<Pause length="1"/><Play digits="7"/><Pause length="60"/>')
    app.page('/heard', '<Hangup/>')
    const { sid } = await call(
      `<Pause length="1"/><Play digits="42"/>` +
        `<Gather numDigits="1" timeout="20" action="${app.url}/heard"/>`,
    )
    const asked = await app.asked('/called2001')
    expect(Object.keys(asked).filter((name) => /^Sip(SourceIp|Domain)/.test(name))).toEqual([])
    expect(asked).toMatchObject({
      From: CALLER,
      To: NUMBER,
      Direction: 'inbound',
      CallStatus: 'ringing',
    })
    const pressed = await app.asked('/pressed')
    expect(pressed).toMatchObject({ Digits: '42' })
    const called = pressed['CallSid'] ?? ''
    expect(called).not.toBe(sid)
    expect(await app.asked('/heard', sid)).toMatchObject({ Digits: '7' })
    expect(statuses(await app.completed(sid))).toEqual(['completed'])
    expect(statuses(await app.completed(called))).toEqual(['completed'])
    expect(await trunkline.fetchCall(sid)).toMatchObject({ direction: 'outbound-api', to: NUMBER })
    expect(await trunkline.fetchCall(called)).toMatchObject({ direction: 'inbound', from: CALLER })
  })

  it('ends when the called side hangs up', async () => {
    answersWith('<Hangup/>')
    const { sid } = await call('<Pause length="60"/>')
    expect(statuses(await app.completed(sid))).toEqual(['completed'])
  })

  it('ends as the called side refuses it', async () => {
    answersWith('<Reject reason="busy"/>')
    const { sid } = await call('<Pause length="60"/>')
    expect(statuses(await app.completed(sid))).toEqual(['busy'])
  })

  it('rings no longer than its timeout, and leaves no call to the called side', async () => {
    answersWith(`<Dial answerOnBridge="true" timeout="60">${NEVER_ANSWERS}</Dial>`)
    const { sid } = await call('<Pause length="60"/>', { Timeout: '2' })
    expect(statuses(await app.completed(sid))).toEqual(['no-answer'])
    const { CallSid: called = '' } = await app.asked('/called2001')
    expect(statuses(await app.completed(called))).toEqual(['canceled'])
  })

  it('is not answered where the number leads nowhere', async () => {
    const nowhere = '+15550002009'
    await trunkline.assignNumber(nowhere, {})
    const { sid } = await call('<Pause length="60"/>', { To: nowhere })
    expect(statuses(await app.completed(sid))).toEqual(['no-answer'])
  })
})

describe('a Dial to a number of this system', () => {
  it('connects its caller with whom that number’s document dials, in both directions', async () => {
    answersWith(`<Dial><Sip>${second.uri('agent')}</Sip></Dial>`)
    app.page('/after', '<Hangup/>')
    const [invited, reached] = [peer.nextCall(LIMIT_MS), second.nextCall(LIMIT_MS)]
    const { sid } = await call(`<Dial action="${app.url}/after">${NUMBER}</Dial>`, {
      To: peer.uri('caller'),
    })
    await (await invited).answer()
    const agent = await reached
    await agent.answer()
    peer.rtp.speak(500)
    second.rtp.speak(900)
    await waitUntil('the agent is heard', () => peer.rtp.hears(900), LIMIT_MS)
    await waitUntil('the caller is heard', () => second.rtp.hears(500), LIMIT_MS)
    await peer.rtp.sendDigit('7')
    await second.rtp.waitForDigits('7')
    agent.bye()
    expect(await app.asked('/after')).toMatchObject({ DialCallStatus: 'completed' })
    const [child] = await calls(`ParentCallSid=${sid}`)
    expect(child).toMatchObject({ direction: 'outbound-dial', to: NUMBER, status: 'completed' })
    await app.completed(sid)
  })

  it('reaches a number through the document of another', async () => {
    answersWith(`<Dial>${OTHER}</Dial>`)
    answersWith(`<Play>${app.url}/tone.wav</Play>`, OTHER)
    const { sid } = await call('<Pause length="60"/>')
    expect(await app.asked('/called2002')).toMatchObject({ From: CALLER, To: OTHER })
    expect(statuses(await app.completed(sid))).toEqual(['completed'])
  })

  it('ends where numbers dial each other in a circle', async () => {
    answersWith(`<Dial>${OTHER}</Dial>`)
    answersWith(`<Dial>${NUMBER}</Dial>`, OTHER)
    const { sid } = await call('<Pause length="60"/>')
    expect(statuses(await app.completed(sid))).toEqual(['completed'])
    const asked = app.sink.requests.filter(({ target }) => target.startsWith('/called'))
    expect(asked).toHaveLength(5)
  })
})
