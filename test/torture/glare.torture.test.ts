import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** RFC 4028 §5 allows no shorter session; who refreshes it does so at its half. */
const SESSION_S = 90
const LIMIT_MS = 90_000
/** RFC 3261 §14.1 for who made the Call-ID. */
const WINDOW_MS = { from: 2_100, to: 4_000 }
/** A busy machine fires a timer late; early it never is. */
const LATE_MS = 500

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

describe('our own re-INVITE', () => {
  it('that got 491 comes again in its window, and the audio goes on [A8]', async ({ task }) => {
    const waits = await Promise.all(Array.from({ length: 8 }, () => refreshed()))
    await expectNothingLeft(trunkline)
    const ms = waits.map((each) => each.waitedMs).sort((a, b) => a - b)
    const gapMs = Math.max(...waits.map((each) => each.gapMs))
    reportRow(task, 'A8', {
      'tried again after ms': ms.map(Math.round).join(' '),
      'longest gap of audio ms': gapMs,
    })
    expect(ms[0]).toBeGreaterThanOrEqual(WINDOW_MS.from - 20)
    expect(ms.at(-1)).toBeLessThanOrEqual(WINDOW_MS.to + LATE_MS)
    expect(gapMs).toBeLessThanOrEqual(40)
  })
})

/** One call whose far end asks us to refresh, answers 491 at first, and counts what it waits. */
async function refreshed(): Promise<{ readonly waitedMs: number; readonly gapMs: number }> {
  const peer = await SipPeer.open()
  const { sid } = await trunkline.createCall({
    To: peer.uri('callee'),
    From: '+15005550000',
    Markup: `<Response><Play loop="0">${app.url}/tone.wav</Play></Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const call = await peer.nextCall(LIMIT_MS)
  const headers = [
    ['Session-Expires', `${String(SESSION_S)};refresher=uac`],
    ['Require', 'timer'],
  ] as const
  call.respond(200, 'OK', { sdp: peer.sdp(), headers })
  await waitUntil('the tone is heard', () => peer.rtp.hears(440), LIMIT_MS)
  const first = headerOf(call.invite, 'cseq')
  const offers = () =>
    call.log.filter((each) => each.method === 'INVITE' && headerOf(each, 'cseq') !== first)
  await waitUntil(
    'a refresh',
    () => offers().length > 0,
    LIMIT_MS,
    () => peer.seen(),
  )
  peer.rtp.forget()
  call.respond(491, 'Request Pending', { ...(offers()[0] && { to: offers()[0] }) })
  const refusedAt = performance.now()
  const isAnother = () => new Set(offers().map((each) => headerOf(each, 'cseq'))).size > 1
  await waitUntil('another try', isAnother, LIMIT_MS, () => peer.seen())
  const waitedMs = performance.now() - refusedAt
  const again = offers().at(-1)
  if (again !== undefined) await call.answer(peer.sdp({ version: 2 }), again)
  await waitUntil('half a second of audio', () => peer.rtp.packets.length > 25, LIMIT_MS)
  await waitUntil('the tone is still heard', () => peer.rtp.hears(440), LIMIT_MS)
  const gapMs = peer.rtp.longestGapMs
  await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
  const callbacks = await app.completed(sid)
  expect(callbacks.at(-1)).toMatchObject({ CallStatus: 'completed' })
  peer.close()
  return { waitedMs, gapMs }
}
