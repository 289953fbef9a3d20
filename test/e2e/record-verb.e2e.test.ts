import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import {
  channelOf,
  downloadRecording,
  hasSound,
  recordingsTold,
  secondsOf,
  toneMs,
} from '../support/sound/recorded-wav.js'
import { RATE, rms, sine, toneShare } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const POLL = { timeout: LIMIT_MS, interval: 20 }
/** The silence that ends a recording: longer than a busy machine pauses a telephone. */
const SILENCE_S = 2

/**
 * The starts of what is loud and not this tone, for two pieces of 50 ms and longer: where a busy machine
 * has broken the tone, its parts may cancel each other in one piece.
 */
function soundsBeside(samples: Int16Array, hz: number): readonly number[] {
  const size = RATE / 20
  const starts = Array.from({ length: Math.floor(samples.length / size) }, (_, at) => at * size)
  const isBeside = (start: number) => {
    const piece = samples.subarray(start, start + size)
    return rms(piece) > 1_000 && toneShare(piece, hz) < 0.5
  }
  return starts.filter((start) => isBeside(start) && isBeside(start + size))
}

let trunkline: RunningTrunkline
let app: VoiceApp
let caller: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  caller = await SipPeer.open()
  app.page('/after', '<Hangup/>')
})
afterAll(async () => {
  caller.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

beforeEach(() => {
  caller.rtp.speak(0)
})

/** Calls the caller, who answers, and records it; resolves once it is recorded. */
async function record(
  attributes: string,
  more = '',
): Promise<{ readonly sid: string; readonly call: PeerCall }> {
  const invited = caller.nextCall(LIMIT_MS)
  const callback = `recordingStatusCallback="${app.url}/recording" recordingStatusCallbackEvent="in-progress completed absent"`
  const { sid } = await trunkline.createCall({
    To: caller.uri('caller'),
    From: '+15551112222',
    Markup: `<Response><Record action="${app.url}/after" ${callback} ${attributes}/>${more}</Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const call = await invited
  await call.answer()
  await expect.poll(() => told(sid).length, POLL).toBeGreaterThan(0)
  return { sid, call }
}

const told = (sid: string) => recordingsTold(app, sid)
/** True once the recording of the call has sound on the disk. */
const isRecorded = (sid: string) => hasSound(trunkline, told(sid)[0]?.['RecordingSid'] ?? '')
const endings = (sid: string) => told(sid).map((params) => params['RecordingStatus'])

describe('the Record verb', () => {
  it('beeps, records until the caller has been silent, and asks its action with the recording', async () => {
    const { sid } = await record(`timeout="${SILENCE_S}"`)
    caller.rtp.say(sine(500, 16_000))
    const asked = await app.asked('/after', sid)
    expect(asked).toMatchObject({ CallStatus: 'in-progress', Digits: '' })
    await app.completed(sid)
    const [, completed] = told(sid)
    expect(completed).toMatchObject({
      RecordingStatus: 'completed',
      RecordingSource: 'RecordVerb',
      RecordingSid: asked['RecordingSid'],
      RecordingUrl: asked['RecordingUrl'],
      RecordingDuration: asked['RecordingDuration'],
      RecordingChannels: '1',
    })
    const { bytes } = await downloadRecording(trunkline, asked['RecordingSid'] ?? '')
    expect(asked['RecordingDuration']).toBe(String(Math.round(secondsOf(bytes))))
    // The silence that ended it is trimmed away; a busy machine may send what is said late.
    expect(secondsOf(bytes)).toBeGreaterThan(1.9)
    expect(secondsOf(bytes)).toBeLessThan(2 + SILENCE_S)
    const said = channelOf(bytes, 0)
    expect(toneMs(said, 500)).toBeGreaterThan(1_900)
    // Neither the beep nor anything else is heard in it: each loud piece is the tone.
    expect(soundsBeside(said, 500)).toEqual([])
    await expectNothingLeft(trunkline)
  })

  it('ends with a key, and with its longest length', async () => {
    const { sid } = await record('finishOnKey="5#" playBeep="false" trim="do-not-trim"')
    caller.rtp.speak(500)
    await waitUntil('it is recorded', () => isRecorded(sid), LIMIT_MS)
    await caller.rtp.sendDigit('4')
    await caller.rtp.sendDigit('5')
    expect(await app.asked('/after', sid)).toMatchObject({ Digits: '5' })
    await app.completed(sid)
    const longest = await record('maxLength="2" timeout="0" playBeep="false"')
    expect(await app.asked('/after', longest.sid)).toMatchObject({
      Digits: '',
      RecordingDuration: '2',
    })
    await app.completed(longest.sid)
    caller.rtp.speak(0)
  })

  it('goes on with the next verb when nobody spoke, and its recording is absent', async () => {
    const next = `<Play>${app.url}/tone.wav</Play>`
    const { sid, call } = await record('timeout="1" trim="do-not-trim"', next)
    await waitUntil('the next verb is heard', () => caller.rtp.hears(440), LIMIT_MS)
    call.bye()
    await app.completed(sid)
    await expect.poll(() => endings(sid), POLL).toEqual(['in-progress', 'absent'])
    expect(told(sid)[1]).toMatchObject({ ErrorCode: '16102' })
    expect(recordingsTold(app, sid, '/after')).toEqual([])
  })

  it('leaves no audio on the disk when its recording is absent', async () => {
    const { sid, call } = await record('timeout="1" trim="do-not-trim"', '<Pause length="20"/>')
    await waitUntil('it is absent', () => endings(sid).includes('absent'), LIMIT_MS)
    const recordingSid = told(sid)[1]?.['RecordingSid'] ?? ''
    const folder = join(trunkline.folder, 'data', 'recordings')
    const left = () => readdirSync(folder).filter((name) => name.startsWith(recordingSid))
    await waitUntil('its files are removed', () => left().length === 0, LIMIT_MS, left)
    call.bye()
    await app.completed(sid)
  })

  it('tells its action of a caller who hung up, once', async () => {
    const { sid, call } = await record('')
    caller.rtp.say(sine(500, 8_000))
    await waitUntil('it is recorded', () => isRecorded(sid), LIMIT_MS)
    await caller.rtp.sendDigit('A')
    call.bye()
    const asked = await app.asked('/after', sid)
    expect(asked).toMatchObject({
      Digits: 'hangup',
      CallStatus: 'completed',
      AccountSid: trunkline.account.sid,
    })
    await app.completed(sid)
    await expectNothingLeft(trunkline)
    await expect.poll(() => endings(sid), POLL).toEqual(['in-progress', 'completed'])
    expect(told(sid)[1]?.['RecordingSid']).toBe(asked['RecordingSid'])
    expect(recordingsTold(app, sid, '/after')).toHaveLength(1)
  })

  it('keeps what was said until another document takes over, whose call it is then', async () => {
    const { sid } = await record('')
    caller.rtp.speak(500)
    await waitUntil('it is recorded', () => isRecorded(sid), LIMIT_MS)
    const Markup = `<Response><Play>${app.url}/tone.wav</Play></Response>`
    await trunkline.api('POST', `/Calls/${sid}.json`, { Markup })
    await waitUntil('the new document is heard', () => caller.rtp.hears(440), LIMIT_MS)
    await expect.poll(() => endings(sid), POLL).toEqual(['in-progress', 'completed'])
    await app.completed(sid)
    expect(recordingsTold(app, sid, '/after')).toEqual([])
    caller.rtp.speak(0)
  })
})
