import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ObjectStoreSink, STORE_KEY } from '../support/http/object-store.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import {
  channelOf,
  downloadRecording,
  recordingsTold,
  toneMs,
} from '../support/sound/recorded-wav.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const POLL = { timeout: 20_000, interval: 20 }

let app: VoiceApp
beforeAll(async () => {
  app = await startVoiceApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const bucketOf = (store: ObjectStoreSink) => ({
  FILES_BUCKET: store.bucketUrl,
  FILES_ACCESS_KEY_ID: STORE_KEY.id,
  FILES_SECRET_ACCESS_KEY: STORE_KEY.secret,
})

/** Calls the lab's echo; resolves with the sid of the recording once it is completed. */
async function record(on: RunningTrunkline): Promise<{ callSid: string; sid: string }> {
  const { sid: callSid } = await on.createCall({
    To: '+15005550003',
    From: '+15551112222',
    Markup: `<Response><Play>${app.url}/tone.wav</Play></Response>`,
    Record: 'true',
    RecordingStatusCallback: `${app.url}/recording`,
  })
  await expect.poll(() => recordingsTold(app, callSid).length, POLL).toBe(1)
  const [told] = recordingsTold(app, callSid)
  expect(told).toMatchObject({ RecordingStatus: 'completed' })
  return { callSid, sid: told?.['RecordingSid'] ?? '' }
}

async function kill({ server }: RunningTrunkline): Promise<void> {
  const exited = once(server.process, 'exit')
  server.process.kill('SIGKILL')
  await exited
}

const again = (first: RunningTrunkline, store: ObjectStoreSink) =>
  startTrunkline({
    DATA_DIR: join(first.folder, 'data'),
    FIRST_ACCOUNT_SID: first.account.sid,
    FIRST_ACCOUNT_TOKEN: first.account.secret,
    ...bucketOf(store),
  })

const rawFiles = ({ folder }: RunningTrunkline): string[] => {
  const recordings = join(folder, 'data', 'recordings')
  return existsSync(recordings) ? readdirSync(recordings) : []
}

describe('a recording of a server with a bucket', () => {
  it('is kept there, downloaded in every form, and deleted there', async () => {
    await using store = await ObjectStoreSink.start()
    await using trunkline = await startTrunkline(bucketOf(store))
    const { sid } = await record(trunkline)
    const name = `recordings/${sid}.wav`
    const whole = await downloadRecording(trunkline, `${sid}.wav`)
    expect(whole.answer.status).toBe(200)
    // The tone and its echo, which may blur it.
    expect(toneMs(channelOf(whole.bytes, 0), 440)).toBeGreaterThan(2_000)
    await expect.poll(() => store.objects.get(name)?.bytes.equals(whole.bytes), POLL).toBe(true)
    expect(store.objects.get(name)?.headers['content-type']).toBe('audio/x-wav')
    await expect.poll(() => rawFiles(trunkline), POLL).toEqual([])
    const part = await downloadRecording(trunkline, sid, { range: 'bytes=10-99' })
    expect(part.answer.status).toBe(206)
    expect(part.bytes).toEqual(whole.bytes.subarray(10, 100))
    const mp3 = await downloadRecording(trunkline, `${sid}.mp3`)
    expect(mp3.answer.headers.get('content-type')).toBe('audio/mpeg')
    expect((await downloadRecording(trunkline, `${sid}.mp3`)).bytes.equals(mp3.bytes)).toBe(true)
    await expect.poll(async () => (await trunkline.metrics())['files_waiting'], POLL).toBe(0)
    expect((await trunkline.api('DELETE', `/Recordings/${sid}.json`)).status).toBe(204)
    await expect.poll(() => store.objects.size, POLL).toBe(0)
    expect((await downloadRecording(trunkline, sid)).answer.status).toBe(404)
    const cache = join(trunkline.folder, 'data', 'files-cache')
    await expect.poll(() => readdirSync(cache), POLL).toEqual([])
  })

  it('waits on the disk while the bucket is away, is told of, and is sent later', async () => {
    await using store = await ObjectStoreSink.start()
    await using trunkline = await startTrunkline(bucketOf(store))
    store.refuse(503, 'SlowDown')
    const { callSid, sid } = await record(trunkline)
    const readiness = async () => (await fetch(`${trunkline.http}/readyz`)).json()
    await expect.poll(readiness, POLL).toMatchObject({ bucket: 'away' })
    expect((await fetch(`${trunkline.http}/readyz`)).status).toBe(200)
    await expect
      .poll(() => trunkline.metrics(), POLL)
      .toMatchObject({ files_waiting: 1, file_bucket_away: 1 })
    const events = async () =>
      JSON.stringify(
        (await trunkline.api('GET', `/Calls/${callSid}/Events.json?PageSize=500`)).body,
      )
    await expect.poll(events, POLL).toContain(`${sid} waits to be stored in the bucket`)
    expect((await downloadRecording(trunkline, sid)).answer.status).toBe(200)
    store.refuse()
    await expect.poll(() => store.objects.has(`recordings/${sid}.wav`), POLL).toBe(true)
    await expect.poll(readiness, POLL).toMatchObject({ bucket: 'ok' })
  })
})

describe('a process that is killed', () => {
  it('before the bucket has a recording leaves it to the next one', async () => {
    await using store = await ObjectStoreSink.start()
    await using first = await startTrunkline(bucketOf(store))
    const open = store.hold()
    const { sid } = await record(first)
    await expect.poll(() => store.asked, POLL).toEqual([`PUT /recordings/recordings/${sid}.wav`])
    await kill(first)
    open()
    await expect.poll(() => store.answered.length, POLL).toBe(1)
    store.objects.clear()
    await using next = await again(first, store)
    await expect.poll(() => store.objects.size, POLL).toBe(1)
    const { bytes } = await downloadRecording(next, sid)
    expect(store.objects.get(`recordings/${sid}.wav`)?.bytes.equals(bytes)).toBe(true)
    await expect.poll(() => rawFiles(first), POLL).toEqual([])
  })

  it('before the bucket has deleted a recording leaves that to the next one', async () => {
    await using store = await ObjectStoreSink.start()
    await using first = await startTrunkline(bucketOf(store))
    const { sid } = await record(first)
    await expect.poll(() => rawFiles(first), POLL).toEqual([])
    store.refuse(503, 'SlowDown')
    expect((await first.api('DELETE', `/Recordings/${sid}.json`)).status).toBe(204)
    await kill(first)
    store.refuse()
    expect(store.objects.size).toBe(1)
    await using next = await again(first, store)
    await expect.poll(() => store.objects.size, POLL).toBe(0)
    expect((await downloadRecording(next, sid)).answer.status).toBe(404)
  })

  it('while a bucket was set for the first time loses no older recording', async () => {
    await using store = await ObjectStoreSink.start()
    await using first = await startTrunkline()
    const { sid } = await record(first)
    await expect.poll(() => rawFiles(first), POLL).toEqual([`${sid}.wav`])
    await kill(first)
    await using next = await again(first, store)
    await expect.poll(() => [...store.objects.keys()], POLL).toEqual([`recordings/${sid}.wav`])
    expect((await downloadRecording(next, sid)).answer.status).toBe(200)
  })
})
