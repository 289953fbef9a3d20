import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import {
  channelOf,
  downloadRecording,
  recordingsTold,
  secondsOf,
  toneMs,
} from '../support/sound/recorded-wav.js'
import { sine, toneLevel } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
/** What a busy machine moves a frame or two by; `npm run torture` holds it to 20 ms. */
const BUSY_MS = 100
const CALLER_HZ = 1_000
const CALLEE_HZ = 1_700
/** Their first words, by which they know that they are connected. */
const BEFORE_HZ = 2_600

let trunkline: RunningTrunkline
let app: VoiceApp
let caller: SipPeer
let callee: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  ;[caller, callee] = await Promise.all([SipPeer.open(), SipPeer.open()])
  app.page('/after', '<Hangup/>')
})
afterAll(async () => {
  caller.close()
  callee.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Two parties in a recorded Dial, connected. */
async function connect(record: string, more = '') {
  const [called, dialled] = [caller.nextCall(LIMIT_MS), callee.nextCall(LIMIT_MS)]
  const callback = `recordingStatusCallback="${app.url}/recording" recordingStatusCallbackEvent="in-progress completed absent"`
  const { sid } = await trunkline.createCall({
    To: caller.uri('caller'),
    From: '+15551112222',
    Markup: `<Response><Dial record="${record}" ${callback} action="${app.url}/after" ${more}>
      <Sip>${callee.uri('callee')}</Sip></Dial></Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const parent = await called
  await parent.answer()
  const child = await dialled
  child.ring()
  return { sid, parent, child }
}

const both = (what: string, isSo: (peer: SipPeer, other: number) => boolean) =>
  waitUntil(what, () => isSo(caller, CALLEE_HZ) && isSo(callee, CALLER_HZ), LIMIT_MS)

/** Each says its tone for exactly three seconds, once they hear each other; resolves when they did. */
async function sayTones(lossShare = 0): Promise<void> {
  caller.rtp.speak(BEFORE_HZ)
  callee.rtp.speak(BEFORE_HZ)
  await both('they hear each other', ({ rtp }) => rtp.hears(BEFORE_HZ))
  caller.rtp.speak(0)
  callee.rtp.speak(0)
  await both('they are quiet', ({ rtp }) => rtp.isQuiet())
  for (const { rtp } of [caller, callee]) rtp.lossShare = lossShare
  caller.rtp.say(sine(CALLER_HZ, 24_000))
  callee.rtp.say(sine(CALLEE_HZ, 24_000))
  await both('each hears the other', ({ rtp }, hz) => rtp.hears(hz))
  // A pause of the machine in the middle is quiet too.
  await both('each has said it all', ({ rtp }) => !rtp.isSaying)
  await both('they are quiet again', ({ rtp }) => rtp.isQuiet())
}

async function recordedOf(sid: string) {
  await app.completed(sid)
  await expectNothingLeft(trunkline)
  const told = recordingsTold(app, sid)
  expect(told.map((params) => params['RecordingStatus'])).toEqual(['in-progress', 'completed'])
  const { bytes } = await downloadRecording(trunkline, told[1]?.['RecordingSid'] ?? '')
  return { completed: told[1] ?? {}, bytes }
}

describe('[E36] a recorded Dial', () => {
  it.each([
    ['over a clean network', 0, (_: PeerCall, child: PeerCall) => child],
    ['at 5 % loss', 0.05, (parent: PeerCall) => parent],
  ])('holds both parties on their own channels, as long as they spoke, %s', async (_title, lossShare, whoLeaves) => {
    const { sid, parent, child } = await connect('record-from-answer-dual')
    await child.answer()
    await sayTones(lossShare)
    const leaver = whoLeaves(parent, child)
    leaver.bye()
    const { completed, bytes } = await recordedOf(sid)
    if (leaver === child)
      expect(await app.asked('/after', sid)).toMatchObject({
        DialCallStatus: 'completed',
        RecordingSid: completed['RecordingSid'],
        RecordingUrl: completed['RecordingUrl'],
        RecordingDuration: completed['RecordingDuration'],
      })
    expect(completed).toMatchObject({ RecordingSource: 'DialVerb', RecordingChannels: '2' })
    for (const [index, hz, other] of [
      [0, CALLER_HZ, CALLEE_HZ],
      [1, CALLEE_HZ, CALLER_HZ],
    ] as const) {
      const samples = channelOf(bytes, index)
      expect(Math.abs(toneMs(samples, hz) - 3_000), `${hz} Hz`).toBeLessThanOrEqual(BUSY_MS)
      expect(toneLevel(samples, other)).toBeLessThan(toneLevel(samples, hz) / 100)
    }
  })

  it('holds both in one channel, and the ringing before', async () => {
    const { sid, child } = await connect('record-from-ringing', 'trim="trim-silence"')
    const isRecording = async () => {
      const { body } = await trunkline.api('GET', `/Calls/${sid}/Recordings.json`)
      return (body['recordings'] as unknown[]).length > 0
    }
    await waitUntil('it is recorded', isRecording, LIMIT_MS)
    caller.rtp.forget()
    const isRung = () => toneMs(caller.rtp.heard(), 480) > 500
    await waitUntil('the caller hears half a second of ringing', isRung, LIMIT_MS)
    await child.answer()
    await sayTones()
    child.bye()
    const { bytes } = await recordedOf(sid)
    const mixed = channelOf(bytes, 0)
    expect(bytes.readUInt16LE(22)).toBe(1)
    expect(secondsOf(bytes)).toBeGreaterThan(3.1)
    for (const hz of [CALLER_HZ, CALLEE_HZ])
      expect(Math.abs(toneMs(mixed, hz) - 3_000), `${hz} Hz`).toBeLessThanOrEqual(BUSY_MS)
    expect(toneMs(mixed, 480)).toBeGreaterThan(100)
  })
})
