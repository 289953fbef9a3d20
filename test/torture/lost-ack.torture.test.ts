import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const SERVICE = '15551112222'
/** RFC 3261 §13.3.1.4 with the default T1 of 500 ms and T2 of 4 s: when the 200 comes again. */
const OWED_S = [0.5, 1.5, 3.5, 7.5, 11.5, 15.5, 19.5, 23.5, 27.5, 31.5]
const BYE_S = 32

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const callSid = () =>
  new Map(app.sink.requests.filter((each) => each.target === '/voice').at(-1)?.params).get(
    'CallSid',
  ) ?? ''

describe('a 200', () => {
  it('that is lost twice is sent a third time, and the call is as any other [A6]', async () => {
    const peer = await SipPeer.open()
    const call = peer.call(trunkline.sipPort, { user: SERVICE, isSilentAfterAnswer: true })
    const answers = () => call.log.filter(({ status }) => status === 200).length
    await waitUntil(
      'three of them',
      () => answers() === 3,
      20_000,
      () => peer.seen(),
    )
    call.ack()
    call.options()
    await call.response(200, 'OPTIONS')
    call.bye()
    const callbacks = await app.completed(callSid())
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
    await expectNothingLeft(trunkline)
    peer.close()
  })

  it('that is never acknowledged is sent again until BYE, and the call completed [A6]', async ({
    task,
  }) => {
    const peer = await SipPeer.open()
    const call = peer.call(trunkline.sipPort, { user: SERVICE, isSilentAfterAnswer: true })
    const seen: number[] = []
    const look = () => {
      const answers = call.log.filter(({ status }) => status === 200).length
      while (seen.length < answers) seen.push(performance.now())
      return call.log.some(({ method }) => method === 'BYE')
    }
    await waitUntil('a BYE', look, 50_000, () => peer.seen())
    const [first = 0, ...again] = seen
    const seconds = again.map((at) => Math.round((at - first) / 100) / 10)
    const byeAfter = Math.round((performance.now() - first) / 100) / 10
    const callbacks = await app.completed(callSid())
    await expectNothingLeft(trunkline)
    peer.close()
    reportRow(task, 'A6', { '200 again after s': seconds.join(' '), 'BYE after s': byeAfter })
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
    expect(seconds.length).toBe(OWED_S.length)
    for (const [index, owed] of OWED_S.entries())
      expect(Math.abs((seconds[index] ?? 0) - owed)).toBeLessThan(1)
    expect(Math.abs(byeAfter - BYE_S)).toBeLessThanOrEqual(1)
  })
})
