import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ObjectStoreSink, STORE_KEY } from '../support/http/object-store.js'
import { RtpPeer } from '../support/media/rtp-peer.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { pidsOf } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { startSipp } from '../support/sip/sipp.js'
import {
  channelOf,
  downloadRecording,
  hasSound,
  longestSilenceMs,
  recordingsTold,
  samplesSoFar,
  secondsOf,
} from '../support/sound/recorded-wav.js'
import { RATE, toneShare, usualShare } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

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

const LIMIT_MS = 20_000
const POLL = { timeout: LIMIT_MS, interval: 20 }
const TONE_MARKUP = () => `<Response><Play>${app.url}/tone.wav</Play></Response>`
const ENDLESS_MARKUP = () => `<Response><Play loop="0">${app.url}/tone.wav</Play></Response>`

const told = (callSid: string) => recordingsTold(app, callSid)

/** Calls the lab's echo, which sends back what it hears. */
function recordEcho(form: Readonly<Record<string, string>>, on = trunkline) {
  return on.createCall({
    To: '+15005550003',
    From: '+15551112222',
    Markup: TONE_MARKUP(),
    Record: 'true',
    RecordingStatusCallback: `${app.url}/recording`,
    RecordingStatusCallbackEvent: 'in-progress completed absent',
    StatusCallback: `${app.url}/status`,
    ...form,
  })
}

const download = (path: string, headers: Readonly<Record<string, string>> = {}, of = trunkline) =>
  downloadRecording(of, path, headers)

describe('a call that is recorded from the start', () => {
  it('holds what the called party heard, whole, in one channel whatever was asked for, and tells of it once', async () => {
    await using party = await RtpPeer.open()
    await using callee = await startSipp({ scenario: 'uas-answers-and-waits', rtpPort: party.port })
    const { sid } = await recordEcho({
      To: `sip:party@127.0.0.1:${callee.port}`,
      RecordingChannels: 'dual',
      Trim: 'trim-silence',
    })
    const callbacks = await app.completed(sid)
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    const [begun, completed] = told(sid)
    expect(begun).toMatchObject({ RecordingStatus: 'in-progress', RecordingChannels: '1' })
    expect(completed).toMatchObject({
      RecordingStatus: 'completed',
      RecordingSource: 'OutboundAPI',
      RecordingTrack: 'both',
      ErrorCode: '0',
      AccountSid: trunkline.account.sid,
    })
    expect(callbacks.at(-1)).toMatchObject({
      RecordingSid: completed?.['RecordingSid'],
      RecordingUrl: completed?.['RecordingUrl'],
      RecordingDuration: completed?.['RecordingDuration'],
    })
    const recordingSid = completed?.['RecordingSid'] ?? ''
    const { answer, bytes } = await download(recordingSid)
    expect(answer.headers.get('content-type')).toBe('audio/x-wav')
    expect(secondsOf(bytes)).toBeGreaterThan(2.9)
    expect(completed?.['RecordingDuration']).toBe(String(Math.round(secondsOf(bytes))))
    expect(bytes.readUInt16LE(22)).toBe(1)
    expect(usualShare(channelOf(bytes, 0), 440)).toBeGreaterThan(0.9)
    await expectNothingLeft(trunkline)
  })

  it('is downloaded in ranges and as one channel, by its account only', async () => {
    const { sid } = await recordEcho({})
    await app.completed(sid)
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    const recordingSid = told(sid)[1]?.['RecordingSid'] ?? ''
    const whole = await download(`${recordingSid}.wav`)
    const part = await download(recordingSid, { range: 'bytes=10-99' })
    expect(part.answer.status).toBe(206)
    expect(part.bytes).toEqual(whole.bytes.subarray(10, 100))
    const mp3 = await download(`${recordingSid}.mp3`)
    expect(mp3.answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(mp3.bytes.length).toBeLessThan(whole.bytes.length / 2)
    expect((await download(`${recordingSid}?RequestedChannels=1`)).bytes).toEqual(whole.bytes)
    expect((await download(`${recordingSid}?RequestedChannels=2`)).answer.status).toBe(400)
    expect((await fetch(told(sid)[1]?.['RecordingUrl'] ?? '')).status).toBe(401)
    const path = `/Recordings/${recordingSid}.json`
    expect((await trunkline.api('GET', path)).body).toMatchObject({
      status: 'completed',
      channels: 1,
      duration: told(sid)[1]?.['RecordingDuration'],
      call_sid: sid,
    })
    const listed = await trunkline.api('GET', `/Recordings.json?CallSid=${sid}`)
    expect(listed.body).toMatchObject({ total: 1, recordings: [{ sid: recordingSid }] })
    expect((await trunkline.api('DELETE', path)).status).toBe(204)
    expect((await trunkline.api('GET', path)).status).toBe(404)
    expect((await download(recordingSid)).answer.status).toBe(404)
  })
})

describe('a recording by REST', () => {
  it('is started, paused, resumed and stopped; a second start changes nothing', async () => {
    const { sid } = await recordEcho({ Record: 'false', Markup: ENDLESS_MARKUP() })
    await expect.poll(async () => (await trunkline.fetchCall(sid)).status, POLL).toBe('in-progress')
    const of = `/Calls/${sid}/Recordings`
    const callback = {
      RecordingStatusCallback: `${app.url}/recording`,
      RecordingStatusCallbackEvent: 'in-progress,completed',
      // More than a day: a recording has no longest limit.
      RecordingMaxDuration: '90000',
    }
    const first = await trunkline.api('POST', `${of}.json`, callback)
    expect(first).toMatchObject({
      status: 201,
      body: { status: 'in-progress', source: 'StartCallRecordingAPI', channels: 1 },
    })
    const second = await trunkline.api('POST', `${of}.json`, callback)
    expect(second.body['sid']).toBe(first.body['sid'])
    // A recording of silence alone is absent, and nobody asked to be told of that.
    const isHeard = () => hasSound(trunkline, String(first.body['sid']))
    await waitUntil('sound is recorded', isHeard, LIMIT_MS)
    const current = `${of}/Twilio.CURRENT.json`
    const skip = { Status: 'paused', PauseBehavior: 'skip' }
    expect((await trunkline.api('POST', current, skip)).body['status']).toBe('paused')
    const resumed = await trunkline.api('POST', current, { Status: 'in-progress' })
    expect(resumed.body['status']).toBe('in-progress')
    expect((await trunkline.api('POST', current, { Status: 'stopped' })).body['status']).toBe(
      'stopped',
    )
    await expect
      .poll(() => told(sid).map((one) => one['RecordingStatus']), POLL)
      .toEqual(['in-progress', 'completed'])
    await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    await app.completed(sid)
    expect((await trunkline.api('POST', `${of}.json`)).body['code']).toBe(21220)
    expect(
      (await trunkline.api('POST', `${of}/${String(first.body['sid'])}.json`, skip)).body['code'],
    ).toBe(21220)
  })
})

describe('[E36] a pause', () => {
  const PAUSE_MS = 700

  it.each([
    'silence',
    'skip',
  ] as const)('leaves a gap of silence, or nothing: %s', async (behaviour) => {
    await using party = await RtpPeer.open()
    await using callee = await startSipp({ scenario: 'uas-answers-and-waits', rtpPort: party.port })
    const { sid } = await recordEcho({
      To: `sip:party@127.0.0.1:${callee.port}`,
      Markup: ENDLESS_MARKUP(),
    })
    await expect.poll(() => told(sid).length, POLL).toBe(1)
    const recordingSid = told(sid)[0]?.['RecordingSid'] ?? ''
    /** The samples on the disk, and how many of the last of them are silent. */
    const soFar = (part = 0) => {
      const samples = samplesSoFar(trunkline, recordingSid, part)
      const lastLoud = samples.findLastIndex((sample) => Math.abs(sample) > 500)
      return { length: samples.length, silent: samples.length - 1 - lastLoud, lastLoud }
    }
    await waitUntil(
      'the tone is recorded',
      () => soFar().lastLoud > 0.5 * RATE,
      LIMIT_MS,
      () => soFar(),
    )
    const current = `/Calls/${sid}/Recordings/Twilio.CURRENT.json`
    const timed = async (form: Readonly<Record<string, string>>) => {
      const askedAt = performance.now()
      expect((await trunkline.api('POST', current, form)).status).toBe(200)
      return { askedAt, doneAt: performance.now() }
    }
    const paused = await timed({ Status: 'paused', PauseBehavior: behaviour })
    await expect.poll(() => performance.now() - paused.doneAt, POLL).toBeGreaterThan(PAUSE_MS)
    const isLong = () => behaviour === 'skip' || soFar().silent > (PAUSE_MS * RATE) / 1_000
    await waitUntil('the pause is recorded', isLong, LIMIT_MS, () => soFar())
    const part = behaviour === 'skip' ? 1 : 0
    const before = soFar(part).length
    const resumed = await timed({ Status: 'in-progress' })
    const isOn = () => soFar(part).lastLoud > before + 0.5 * RATE
    await waitUntil('the tone is recorded again', isOn, LIMIT_MS, () => soFar(part))
    await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    await app.completed(sid)
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    const { bytes } = await download(recordingSid)
    const gapMs = longestSilenceMs(channelOf(bytes, 0))
    // Where the tone begins anew there may be a moment of silence as well.
    if (behaviour === 'skip') expect(gapMs).toBeLessThan(PAUSE_MS / 2)
    else {
      expect(gapMs).toBeGreaterThanOrEqual(PAUSE_MS)
      // What stood still meanwhile on a busy machine is recorded as silence too.
      expect(gapMs).toBeLessThan(resumed.doneAt - paused.askedAt + 1_000)
    }
  })
})

describe('a recording by Start and Stop', () => {
  it('holds what is heard between the two, is the only one, and is told of', async () => {
    const callback = `recordingStatusCallback="${app.url}/recording" recordingStatusCallbackEvent="in-progress completed"`
    const start = `<Start><Recording trim="trim-silence" ${callback}/></Start>`
    const tone = `<Play>${app.url}/tone.wav</Play>`
    const { sid } = await trunkline.createCall({
      To: '+15005550002',
      From: '+15551112222',
      Markup: `<Response>${start}${start}${tone}<Stop><Recording/></Stop>${tone}</Response>`,
      StatusCallback: `${app.url}/status`,
    })
    const callbacks = await app.completed(sid)
    expect(callbacks.at(-1)?.['RecordingSid']).toBeUndefined()
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    expect(told(sid)).toMatchObject([
      { RecordingStatus: 'in-progress' },
      {
        RecordingStatus: 'completed',
        RecordingSource: 'StartCallRecordingTwiML',
        RecordingChannels: '2',
      },
    ])
    const { bytes } = await download(told(sid)[1]?.['RecordingSid'] ?? '')
    expect(Math.abs(secondsOf(bytes) - 3)).toBeLessThan(0.1)
    expect(toneShare(channelOf(bytes, 1), 440)).toBeGreaterThan(0.9)
  })
})

describe('a recording of one track', () => {
  /** How much of the recording is the fax tone that the party sends, and the tone that it hears. */
  const shares = async (form: Readonly<Record<string, string>>, track: string) => {
    const { sid } = await trunkline.createCall({
      To: '+15005550012',
      From: '+15551112222',
      Markup: TONE_MARKUP(),
      StatusCallback: `${app.url}/status`,
      ...form,
    })
    await app.completed(sid)
    await expect.poll(() => told(sid).length, POLL).toBe(1)
    expect(told(sid)[0]).toMatchObject({ RecordingStatus: 'completed', RecordingTrack: track })
    const { bytes } = await download(told(sid)[0]?.['RecordingSid'] ?? '')
    const samples = channelOf(bytes, 0)
    return { sent: toneShare(samples, 2_100), heard: toneShare(samples, 440) }
  }

  it('has nothing of the other one', async () => {
    const startAndPlay = (track: string) => {
      const callback = `recordingStatusCallback="${app.url}/recording"`
      const start = `<Start><Recording channels="mono" track="${track}" trim="trim-silence" ${callback}/></Start>`
      return `<Response>${start}<Play>${app.url}/tone.wav</Play></Response>`
    }
    const [inbound, outbound] = await Promise.all(
      ['inbound', 'outbound'].map((track) => shares({ Markup: startAndPlay(track) }, track)),
    )
    expect(inbound?.sent).toBeGreaterThan(0.5)
    expect(inbound?.heard).toBeLessThan(0.01)
    expect(outbound?.heard).toBeGreaterThan(0.9)
    expect(outbound?.sent).toBeLessThan(0.01)
  })

  it('is not made by the RecordingTrack of a new call, which is ignored', async () => {
    const form = { Record: 'true', RecordingTrack: 'inbound' }
    const { sent, heard } = await shares(
      { ...form, RecordingStatusCallback: `${app.url}/recording` },
      'both',
    )
    expect(Math.min(sent, heard)).toBeGreaterThan(0.05)
  })
})

describe('where nothing can be written', () => {
  it('the recording is absent, and the call goes on', async () => {
    await using other = await startTrunkline()
    writeFileSync(join(other.folder, 'data', 'recordings'), 'a file, not a folder')
    const { sid } = await recordEcho({}, other)
    const callbacks = await app.completed(sid)
    expect(callbacks.at(-1)).toMatchObject({ CallStatus: 'completed' })
    await expect
      .poll(() => told(sid).map((one) => one['RecordingStatus']), POLL)
      .toEqual(['absent'])
    expect(told(sid)[0]?.['ErrorCode']).toBe('12400')
    const events = await other.api('GET', `/Calls/${sid}/Events.json?PageSize=500`)
    expect(JSON.stringify(events.body)).toContain('12400')
  })
})

describe('[F43] a killed process', () => {
  it.each([
    'the server',
    'the lab',
  ] as const)('(%s) leaves a recording that opens, is as long as it was, and is told of once', async (who) => {
    await using first = await startTrunkline()
    const markup = '<Response><Pause length="60"/></Response>'
    const { sid } = await recordEcho(
      {
        Markup: markup,
        Trim: 'do-not-trim',
        MachineDetection: 'Enable',
        // Longer than the call.
        MachineDetectionSilenceTimeout: '10000',
        AsyncAmdStatusCallback: `${app.url}/amd`,
      },
      first,
    )
    await expect.poll(() => told(sid).length, POLL).toBe(1)
    const recordingSid = told(sid)[0]?.['RecordingSid'] ?? ''
    const written = () => samplesSoFar(first, recordingSid).length
    await waitUntil('two seconds are recorded', () => written() >= 2 * RATE, LIMIT_MS, written)
    const server = first.server.process
    const exited = once(server, 'exit')
    const writtenMs = (1_000 * written()) / RATE
    if (who === 'the server') {
      server.kill('SIGKILL')
      await exited
    } else process.kill(pidsOf(first).lab, 'SIGKILL')
    const again =
      who === 'the lab'
        ? undefined
        : await startTrunkline({
            DATA_DIR: join(first.folder, 'data'),
            FIRST_ACCOUNT_SID: first.account.sid,
            FIRST_ACCOUNT_TOKEN: first.account.secret,
          })
    await expect
      .poll(() => told(sid).map((one) => one['RecordingStatus']), POLL)
      .toEqual(['in-progress', 'completed'])
    const { bytes } = await download(told(sid)[1]?.['RecordingSid'] ?? '', {}, again ?? first)
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44)
    expect(1_000 * secondsOf(bytes)).toBeGreaterThanOrEqual(writtenMs)
    const callbacks = await app.completed(sid)
    expect(callbacks).toHaveLength(1)
    expect(callbacks[0]).toMatchObject({
      CallStatus: 'completed',
      AnsweredBy: 'unknown',
      RecordingSid: told(sid)[1]?.['RecordingSid'],
      RecordingUrl: told(sid)[1]?.['RecordingUrl'],
      RecordingDuration: told(sid)[1]?.['RecordingDuration'],
    })
    await expect
      .poll(() => recordingsTold(app, sid, '/amd'), POLL)
      .toMatchObject([{ AnsweredBy: 'unknown' }])
    await again?.[Symbol.asyncDispose]()
  }, 60_000)
})

describe('a recording of an account with a bucket', () => {
  it('comes there though the process is killed on the way, and goes when it is deleted', async () => {
    await using store = await ObjectStoreSink.start()
    await using first = await startTrunkline()
    const settings = {
      StorageBucket: store.bucketUrl,
      StoragePrefix: 'calls',
      StorageAccessKeyId: STORE_KEY.id,
      StorageSecretAccessKey: STORE_KEY.secret,
    }
    expect((await first.api('POST', '.json', settings)).status).toBe(200)
    const open = store.hold()
    const { sid } = await recordEcho({}, first)
    await expect.poll(() => store.asked.length, POLL).toBe(1)
    const server = first.server.process
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
    open()
    await expect.poll(() => store.answered.length, POLL).toBe(1)
    store.objects.clear()
    await using again = await startTrunkline({
      DATA_DIR: join(first.folder, 'data'),
      FIRST_ACCOUNT_SID: first.account.sid,
      FIRST_ACCOUNT_TOKEN: first.account.secret,
    })
    await expect.poll(() => store.objects.size, POLL).toBe(1)
    await expect.poll(() => told(sid).length, POLL).toBeGreaterThan(0)
    const recordingSid = told(sid).at(-1)?.['RecordingSid'] ?? ''
    const { bytes } = await download(recordingSid, {}, again)
    expect(store.objects.get(`calls/${recordingSid}.wav`)?.bytes.equals(bytes)).toBe(true)
    expect((await again.api('DELETE', `/Recordings/${recordingSid}.json`)).status).toBe(204)
    await expect.poll(() => store.objects.size, POLL).toBe(0)
  }, 60_000)
})
