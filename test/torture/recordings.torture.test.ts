import { once } from 'node:events'
import { expect, it } from 'vitest'
import { RtpPeer, type RtpPeerOptions } from '../support/media/rtp-peer.js'
import { pidsOf } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { startSipp } from '../support/sip/sipp.js'
import {
  channelOf,
  downloadRecording,
  recordingsTold,
  secondsOf,
  toneMs,
} from '../support/sound/recorded-wav.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const POLL = { timeout: 60_000, interval: 50 }
const RECORDINGS = 20
const KEYS = '1234567890*#'
const TONE_HZ = 1_000
const TONE_S = 20
const SETTLE_S = 5

/** A call that is recorded as a whole, with one channel or with two. */
function record(
  on: RunningTrunkline,
  app: VoiceApp,
  {
    to,
    channels,
    verbs,
  }: { readonly to: string; readonly channels: 1 | 2; readonly verbs: string },
) {
  const events = 'in-progress completed absent'
  const fromTheStart = {
    Record: 'true',
    RecordingStatusCallback: `${app.url}/recording`,
    RecordingStatusCallbackEvent: events,
  }
  const start = `<Start><Recording recordingStatusCallback="${app.url}/recording" recordingStatusCallbackEvent="${events}"/></Start>`
  return on.createCall({
    To: to,
    From: '+15551112222',
    Markup: `<Response>${channels === 2 ? start : ''}${verbs}</Response>`,
    StatusCallback: `${app.url}/status`,
    ...(channels === 1 ? fromTheStart : {}),
  })
}

it.for<[name: string, network: NonNullable<RtpPeerOptions['network']>]>([
  ['clean', { seed: 7 }],
  [
    '5 % loss, 60 ms jitter, 2 % reordering',
    { seed: 7, lossShare: 0.05, jitterMs: 60, reorderShare: 0.02 },
  ],
])('%s: a recording is as long as what was said, and all keys arrive [E36]', async ([
  name,
  network,
], { task }) => {
  await using trunkline = await startTrunkline()
  await using app = await startVoiceApp()
  app.page('/keys', '<Hangup/>')
  await using party = await RtpPeer.open({ network })
  await using callee = await startSipp({ scenario: 'uas-answers-and-waits', rtpPort: party.port })
  const gather = `<Gather numDigits="${KEYS.length}" finishOnKey="" timeout="60" action="${app.url}/keys"/>`
  const { sid } = await record(trunkline, app, {
    to: `sip:party@127.0.0.1:${callee.port}`,
    channels: 2,
    verbs: `<Play>${app.url}/tone.wav</Play>${gather}`,
  })
  await party.waitForTone(440)
  await expect.poll(() => recordingsTold(app, sid).length, POLL).toBe(1)
  party.connect(portOf(callee.messages()))
  // Silence first, in which the jitter buffer learns how much it has to wait: that stretches what is said.
  await say(party, 0, SETTLE_S)
  const saidMs = await say(party, TONE_HZ, TONE_S)
  // A key right behind it would be a loss, which is concealed by more of the same.
  await say(party, 0, 1)
  await party.sendDigits(KEYS)
  expect((await app.asked('/keys', sid))['Digits']).toBe(KEYS)
  await app.completed(sid)
  await expect.poll(() => recordingsTold(app, sid).length, POLL).toBe(2)
  const recordingSid = recordingsTold(app, sid)[1]?.['RecordingSid'] ?? ''
  const { bytes } = await downloadRecording(trunkline, recordingSid)
  const heardMs = toneMs(channelOf(bytes, 0), TONE_HZ)
  reportRow(task, 'E36', { [`${name}: said ms`]: saidMs, [`${name}: recorded ms`]: heardMs })
  expect(Math.abs(heardMs - saidMs)).toBeLessThanOrEqual(20)
})

/** Resolves with what was said of it, in ms. */
async function say(party: RtpPeer, hz: number, seconds: number): Promise<number> {
  const from = party.clock
  // Timestamps begin again at 2^32 (RFC 3550 §5.1).
  const said = () => (party.clock - from) >>> 0
  party.speak(hz)
  await waitUntil('all is said', () => said() >= seconds * 8_000, (seconds + 30) * 1_000)
  return said() / 8
}

/** Where our audio is to be sent, as the INVITE says. */
function portOf(messages: string): number {
  return Number(/m=audio (\d+)/.exec(messages)?.[1])
}

it.for([
  ['the server', 300],
  ['the server', 3_000],
  ['the lab', 300],
  ['the lab', 3_000],
] as const)('kill -9 of %s after %i ms of 20 recordings: each opens, has its length, is told of once [F43]', async ([
  who,
  afterMs,
], { task }) => {
  await using first = await startTrunkline()
  await using app = await startVoiceApp()
  const calls = await Promise.all(
    Array.from({ length: RECORDINGS }, (_, index) =>
      record(first, app, {
        to: '+15005550002',
        channels: index % 2 === 0 ? 1 : 2,
        verbs: '<Pause length="120"/>',
      }),
    ),
  )
  const sids = calls.map(({ sid }) => sid)
  const begunAt = new Map<string, number>()
  await waitUntil(
    'all are recorded',
    () => {
      for (const sid of sids)
        if (!begunAt.has(sid) && recordingsTold(app, sid).length > 0)
          begunAt.set(sid, performance.now())
      return begunAt.size === RECORDINGS
    },
    60_000,
  )
  const lastAt = performance.now()
  await waitUntil('it is time', () => performance.now() - lastAt >= afterMs, 60_000)
  const killedAt = performance.now()
  if (who === 'the server') {
    const exited = once(first.server.process, 'exit')
    first.server.process.kill('SIGKILL')
    await exited
  } else process.kill(pidsOf(first).lab, 'SIGKILL')
  await using again =
    who === 'the lab'
      ? undefined
      : await startTrunkline({
          DATA_DIR: `${first.folder}/data`,
          FIRST_ACCOUNT_SID: first.account.sid,
          FIRST_ACCOUNT_TOKEN: first.account.secret,
        })
  let mostLostMs = 0
  for (const [index, sid] of sids.entries()) {
    const callbacks = await app.completed(sid, 60_000)
    expect(callbacks).toHaveLength(1)
    await expect
      .poll(() => recordingsTold(app, sid).map((told) => told['RecordingStatus']), POLL)
      .toEqual(['in-progress', 'completed'])
    const recordingSid = recordingsTold(app, sid)[1]?.['RecordingSid'] ?? ''
    // The final callback names a recording that the form asked for, and none of a document's.
    expect(callbacks[0]?.['RecordingSid']).toBe(index % 2 === 0 ? recordingSid : undefined)
    const { bytes } = await downloadRecording(again ?? first, recordingSid)
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44)
    const lostMs = killedAt - (begunAt.get(sid) ?? 0) - 1_000 * secondsOf(bytes)
    mostLostMs = Math.max(mostLostMs, Math.round(lostMs))
  }
  reportRow(task, 'F43', { [`${who} after ${afterMs} ms: most lost ms`]: mostLostMs })
  expect(mostLostMs).toBeLessThanOrEqual(200)
})
