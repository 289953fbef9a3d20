import { existsSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { killAndRestart } from '../support/process/kill-and-restart.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type SmallDisk, smallDisk } from '../support/process/small-disk.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import {
  downloadRecording,
  recordingsTold,
  samplesSoFar,
  secondsOf,
} from '../support/sound/recorded-wav.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const POLL = { timeout: 20_000, interval: 20 }
const NOBODY = `RE${'0'.repeat(32)}`

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  app.page('/after', '<Hangup/>')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const told = (sid: string) => recordingsTold(app, sid)
const callback = () =>
  `recordingStatusCallback="${app.url}/recording" recordingStatusCallbackEvent="in-progress completed absent"`

/** Calls the lab's echo, recorded from the start. */
function recordTone(on: RunningTrunkline, form: Readonly<Record<string, string>> = {}) {
  return on.createCall({
    To: '+15005550003',
    From: '+15551112222',
    Markup: `<Response><Play>${app.url}/tone.wav</Play></Response>`,
    Record: 'true',
    RecordingStatusCallback: `${app.url}/recording`,
    RecordingStatusCallbackEvent: 'in-progress completed absent',
    StatusCallback: `${app.url}/status`,
    ...form,
  })
}

/** `status code` of each answer. */
async function answers(
  requests: readonly (readonly [method: string, path: string, form?: Record<string, string>])[],
  on = trunkline,
): Promise<string[]> {
  const all: string[] = []
  for (const [method, path, form] of requests) {
    const { status, body } = await on.api(method, path, form)
    all.push(`${status} ${String(body['code'])}`)
  }
  return all
}

describe('a request that is wrong', () => {
  it('has to name the recording where a call has two: 16108', async () => {
    const Markup = '<Response><Record timeout="30" playBeep="false"/></Response>'
    const { sid } = await recordTone(trunkline, { Markup })
    const goingOn = async () => {
      const { body } = await trunkline.api('GET', `/Calls/${sid}/Recordings.json`)
      const recordings = body['recordings'] as readonly { sid: string; status: string }[]
      return recordings.filter(({ status }) => status === 'in-progress').map((one) => one.sid)
    }
    await expect.poll(goingOn, POLL).toHaveLength(2)
    const of = `/Calls/${sid}/Recordings`
    const stop = { Status: 'stopped' }
    expect(await answers([['POST', `${of}/Twilio.CURRENT.json`, stop]])).toEqual(['400 16108'])
    const [first = ''] = await goingOn()
    expect((await trunkline.api('POST', `${of}/${first}.json`, stop)).body['status']).toBe(
      'stopped',
    )
    await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    await app.completed(sid)
  })

  it('gets the documented error, and leaves the recording alone, which survives its call', async () => {
    const { sid } = await recordTone(trunkline)
    await app.completed(sid)
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    const recording = told(sid)[1]?.['RecordingSid'] ?? ''
    const stop = { Status: 'stopped' }
    expect(
      await answers([
        ['POST', `/Calls/${sid}/Recordings.json`],
        ['POST', `/Calls/${sid}/Recordings/${recording}.json`, stop],
        ['POST', `/Calls/${sid}/Recordings/Twilio.CURRENT.json`, stop],
        ['GET', `/Recordings/${NOBODY}.json`],
        ['DELETE', `/Recordings/${NOBODY}.json`],
        ['GET', `/Calls/CA${'0'.repeat(32)}/Recordings/${recording}.json`],
        ['POST', `/Calls/CA${'0'.repeat(32)}/Recordings.json`],
      ]),
    ).toEqual([
      '400 21220',
      '400 21220',
      '404 20404',
      '404 20404',
      '404 20404',
      '404 20404',
      '404 20404',
    ])
    const made = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'another' })
    expect(made.status).toBe(201)
    const stranger = {
      sid: String(made.body['accountSid']),
      secret: String(made.body['authToken']),
    }
    const path = `${trunkline.http}/2010-04-01/Accounts/${stranger.sid}/Recordings/${recording}`
    const authorization = `Basic ${Buffer.from(`${stranger.sid}:${stranger.secret}`).toString('base64')}`
    for (const [method, suffix] of [
      ['GET', '.json'],
      ['DELETE', '.json'],
      ['GET', '.wav'],
    ] as const)
      expect((await fetch(path + suffix, { method, headers: { authorization } })).status).toBe(404)

    expect((await trunkline.api('DELETE', `/Calls/${sid}.json`)).status).toBe(204)
    expect((await trunkline.api('GET', `/Calls/${sid}.json`)).status).toBe(404)
    expect((await trunkline.api('GET', `/Recordings/${recording}.json`)).body).toMatchObject({
      sid: recording,
      call_sid: sid,
      status: 'completed',
    })
    const listed = await trunkline.api('GET', `/Recordings.json?CallSid=${sid}`)
    expect(listed.body).toMatchObject({ recordings: [{ sid: recording }] })
    const { bytes } = await downloadRecording(trunkline, recording)
    expect(secondsOf(bytes)).toBeGreaterThan(2.5)
    expect((await trunkline.api('DELETE', `/Recordings/${recording}.json`)).status).toBe(204)
  })
})

describe('a recording that is deleted while it goes on', () => {
  it.each<[string, () => string, string]>([
    ['of a whole call', () => '<Pause length="60"/>', 'OutboundAPI'],
    [
      'of Record',
      () =>
        `<Record ${callback()} playBeep="false" timeout="0"/><Redirect>${app.url}/after</Redirect>`,
      'RecordVerb',
    ],
    [
      'of Dial',
      () =>
        `<Dial record="record-from-answer" ${callback()} action="${app.url}/after">+15005550002</Dial>`,
      'DialVerb',
    ],
  ])('is absent, and nothing leads to it: %s', async (_title, markup, source) => {
    using party = await SipPeer.open()
    // Without an end: the recording begins late on a busy machine.
    party.rtp.speak(440)
    const invited = party.nextCall(POLL.timeout)
    const { sid } = await recordTone(trunkline, {
      To: party.uri(),
      Markup: `<Response>${markup()}</Response>`,
      Record: String(source === 'OutboundAPI'),
    })
    await (await invited).answer()
    await expect.poll(() => told(sid).length, POLL).toBe(1)
    const recording = told(sid)[0]?.['RecordingSid'] ?? ''
    const loud = () => samplesSoFar(trunkline, recording).filter((one) => Math.abs(one) > 500)
    await waitUntil('the party is recorded', () => loud().length > 1_000, POLL.timeout)
    expect((await trunkline.api('DELETE', `/Recordings/${recording}.json`)).status).toBe(204)
    expect((await downloadRecording(trunkline, recording)).answer.status).toBe(404)
    if (source !== 'RecordVerb') {
      expect((await trunkline.fetchCall(sid)).status).toBe('in-progress')
      await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    }
    expect((await app.completed(sid)).at(-1)).not.toHaveProperty('RecordingUrl')
    if (source !== 'OutboundAPI')
      expect(await app.asked('/after', sid)).not.toHaveProperty('RecordingUrl')
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    expect(told(sid)[1]).toMatchObject({
      RecordingSource: source,
      RecordingStatus: 'absent',
      ErrorCode: '0',
    })
    expect(told(sid)[1]).not.toHaveProperty('RecordingDuration')
    const folder = join(trunkline.folder, 'data', 'recordings')
    expect(readdirSync(folder).filter((name) => name.startsWith(recording))).toEqual([])
  })
})

/** A call with a recording of two parts, and a disk that is full by then. */
async function recordTwoParts(on: RunningTrunkline, full: SmallDisk) {
  const { sid } = await recordTone(on, {
    Markup: `<Response><Play loop="0">${app.url}/tone.wav</Play></Response>`,
  })
  await expect.poll(() => told(sid).length, POLL).toBe(1)
  const recording = told(sid)[0]?.['RecordingSid'] ?? ''
  const path = `/Calls/${sid}/Recordings/${recording}.json`
  const partSize = (index: number) => {
    const part = join(full.path, `${recording}-${index}.wav`)
    return existsSync(part) ? statSync(part).size : 0
  }
  await expect.poll(() => partSize(0), POLL).toBeGreaterThan(16_000)
  await on.api('POST', path, { Status: 'paused', PauseBehavior: 'skip' })
  await on.api('POST', path, { Status: 'in-progress' })
  await expect.poll(() => partSize(1), POLL).toBeGreaterThan(16_000)
  full.fill()
  return { sid, recording, seconds: (partSize(0) + partSize(1)) / 16_000 }
}

/** A data folder whose recordings have a small disk of their own; undefined, and said, where there can be none. */
function recordingsOnSmallDisk() {
  const full = smallDisk(16)
  if (!('path' in full)) {
    process.stderr.write(`no small disk (${full.reason}): a full one is not tried\n`)
    return undefined
  }
  const data = tempFolder()
  symlinkSync(full.path, join(data.path, 'recordings'))
  return {
    full,
    DATA_DIR: data.path,
    [Symbol.dispose]: () => {
      data[Symbol.dispose]()
      full[Symbol.dispose]()
    },
  }
}

describe('where nothing can be written', () => {
  it('verbs go on without their recording, which is absent, and the call hears the rest', async () => {
    await using other = await startTrunkline()
    const folder = join(other.folder, 'data', 'recordings')
    if (existsSync(folder)) renameSync(folder, `${folder}-before`)
    writeFileSync(folder, 'a file, not a folder')
    const from = { From: '+15551112222', StatusCallback: `${app.url}/status` }
    const record = `<Record action="${app.url}/after" ${callback()} playBeep="false"/>`
    const dial = `<Dial record="record-from-answer" ${callback()} action="${app.url}/after"><Number>+15005550009</Number></Dial>`
    const { sid } = await other.createCall({
      To: '+15005550002',
      Markup: `<Response>${record}${dial}</Response>`,
      ...from,
    })
    expect(await app.asked('/after', sid)).toMatchObject({ DialCallStatus: 'completed' })
    expect(await app.asked('/after', sid)).not.toHaveProperty('RecordingSid')
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    expect(
      told(sid).map((params) => [
        params['RecordingSource'],
        params['RecordingStatus'],
        params['ErrorCode'],
      ]),
    ).toEqual([
      ['RecordVerb', 'absent', '12400'],
      ['DialVerb', 'absent', '12400'],
    ])
    const events = await other.api('GET', `/Calls/${sid}/Events.json?PageSize=500`)
    for (const params of told(sid))
      expect(JSON.stringify(events.body)).toContain(params['RecordingSid'])
    await expectNothingLeft(other)
  }, 60_000)

  it('a disk that fills up keeps what was recorded, and the call does not notice', async () => {
    using small = recordingsOnSmallDisk()
    if (small === undefined) return
    const { full, DATA_DIR } = small
    await using other = await startTrunkline({ DATA_DIR })
    const { sid } = await recordTone(other, {
      Markup: '<Response><Pause length="60"/></Response>',
      Trim: 'do-not-trim',
    })
    await expect.poll(() => told(sid).length, POLL).toBe(1)
    full.fill()
    // Longer than what the media server keeps before it writes.
    const filledAt = performance.now()
    await expect.poll(() => performance.now() - filledAt, POLL).toBeGreaterThan(2_500)
    expect((await other.fetchCall(sid)).status).toBe('in-progress')
    await other.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    const [, completed] = told(sid)
    expect(completed).toMatchObject({ RecordingStatus: 'completed', ErrorCode: '0' })
    full.free()
    const { bytes } = await downloadRecording(other, completed?.['RecordingSid'] ?? '')
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44)
    expect(secondsOf(bytes)).toBeGreaterThan(0)
    await expectNothingLeft(other)
  }, 60_000)

  it('a recording of two parts that a full disk cannot join waits for space, and is told of once', async () => {
    using small = recordingsOnSmallDisk()
    if (small === undefined) return
    const { full, DATA_DIR } = small
    await using other = await startTrunkline({ DATA_DIR })
    const { sid, recording, seconds } = await recordTwoParts(other, full)
    await other.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    // The end of the call does not wait for the disk.
    expect((await app.completed(sid)).at(-1)).toMatchObject({
      CallStatus: 'completed',
      RecordingSid: recording,
    })
    const { body } = await other.api('GET', `/Recordings/${recording}.json`)
    expect(body).toMatchObject({ status: 'processing', error_code: null })
    expect((await downloadRecording(other, recording)).answer.status).toBe(404)
    expect(told(sid)).toHaveLength(1)
    full.free()
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    expect(told(sid)[1]).toMatchObject({ RecordingStatus: 'completed', ErrorCode: '0' })
    const { bytes } = await downloadRecording(other, recording)
    expect(secondsOf(bytes)).toBeGreaterThan(seconds - 0.1)
    await expectNothingLeft(other)
  }, 60_000)

  it('a recording of two parts waits for space through a killed process, too', async () => {
    using small = recordingsOnSmallDisk()
    if (small === undefined) return
    const { full, DATA_DIR } = small
    await using first = await startTrunkline({ DATA_DIR })
    const { sid, recording, seconds } = await recordTwoParts(first, full)
    await using second = await killAndRestart(first, { DATA_DIR })
    const status = async () =>
      (await second.api('GET', `/Recordings/${recording}.json`)).body['status']
    await expect.poll(status, POLL).toBe('processing')
    await app.completed(sid)
    expect(told(sid)).toHaveLength(1)
    full.free()
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    expect(told(sid)[1]).toMatchObject({ RecordingStatus: 'completed', ErrorCode: '0' })
    const { bytes } = await downloadRecording(second, recording)
    expect(secondsOf(bytes)).toBeGreaterThan(seconds - 0.1)
    await expectNothingLeft(second)
  }, 60_000)

  it('a recording goes on when a full disk has space again', async () => {
    using small = recordingsOnSmallDisk()
    if (small === undefined) return
    const { full, DATA_DIR } = small
    await using other = await startTrunkline({ DATA_DIR })
    const { sid } = await recordTone(other, {
      Markup: `<Response><Play loop="0">${app.url}/tone.wav</Play></Response>`,
      Trim: 'do-not-trim',
    })
    await expect.poll(() => told(sid).length, POLL).toBe(1)
    full.fill()
    const filledAt = performance.now()
    await expect.poll(() => performance.now() - filledAt, POLL).toBeGreaterThan(2_500)
    const sizes = () => readdirSync(full.path).map((name) => statSync(join(full.path, name)).size)
    full.free()
    const before = sizes().reduce((sum, size) => sum + size, 0)
    // Three seconds of audio on top of what there was.
    await expect
      .poll(() => sizes().reduce((sum, size) => sum + size, 0), POLL)
      .toBeGreaterThan(before + 3 * 16_000)
    await other.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    await expect.poll(() => told(sid).length, POLL).toBe(2)
    const [, completed] = told(sid)
    expect(completed).toMatchObject({ RecordingStatus: 'completed', ErrorCode: '0' })
    const { bytes } = await downloadRecording(other, completed?.['RecordingSid'] ?? '')
    expect(secondsOf(bytes)).toBeGreaterThan(3)
    await expectNothingLeft(other)
  }, 60_000)
})
