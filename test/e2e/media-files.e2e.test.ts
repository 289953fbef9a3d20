import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { Disposer } from '../../src/platform/disposer.js'
import { openLab } from '../support/media/lab.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { downloadRecording, secondsOf } from '../support/sound/recorded-wav.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 60_000
let disposer: Disposer
let lab: Lab
let app: VoiceApp
let env: Readonly<Record<string, string>>
/** The folder of the media server's machine that recordings are written into. */
let theirs: string

beforeAll(async () => {
  disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  theirs = join(folder.path, 'theirs')
  mkdirSync(theirs)
  lab = disposer.use(await openLab())
  app = disposer.use(await startVoiceApp())
  env = {
    DATA_DIR: join(folder.path, 'data'),
    FIRST_ACCOUNT_SID: `AC${'a'.repeat(32)}`,
    FIRST_ACCOUNT_TOKEN: 'b'.repeat(32),
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    MEDIA_FILES: 'http',
    MEDIA_RECORDINGS_DIR: theirs,
  }
})
afterAll(async () => {
  await disposer[Symbol.asyncDispose]()
})

const recordedCall = (trunkline: RunningTrunkline, markup: string) =>
  trunkline.createCall({
    To: `sip:+15005550001@${lab.phonesUri.replace('sip:', '')}`,
    From: '+15005550000',
    Record: 'true',
    Trim: 'do-not-trim',
    Markup: `<Response>${markup}</Response>`,
    StatusCallback: `${app.url}/status`,
    RecordingStatusCallback: `${app.url}/recording`,
  })

/** The call's one recording, once it is complete. */
async function completedRecording(trunkline: RunningTrunkline, callSid: string) {
  const read = async () => {
    const { body } = await trunkline.api('GET', `/Calls/${callSid}/Recordings.json`)
    // As the list of recordings answers.
    const { recordings } = body as { recordings: readonly { sid: string; status: string }[] }
    return recordings[0]
  }
  const isOver = async () => ['completed', 'absent'].includes((await read())?.status ?? '')
  await waitUntil('the recording is over', isOver, LIMIT_MS)
  const recording = await read()
  expect(recording?.status).toBe('completed')
  const { bytes } = await downloadRecording(trunkline, `${recording?.sid ?? ''}.wav`)
  return secondsOf(bytes)
}

it('without a shared folder a call says, plays and records, also when its server is killed', async () => {
  const first = await startTrunkline(env)
  try {
    const whole = await recordedCall(
      first,
      `<Say>Good morning.</Say><Play>${app.url}/tone.wav</Play><Say>Good bye.</Say>`,
    )
    await app.completed(whole.sid)
    expect(await completedRecording(first, whole.sid)).toBeGreaterThan(3)
    await waitUntil('the media server keeps nothing', () => readdirSync(theirs).length === 0)

    const cut = await recordedCall(first, '<Pause length="300"/>')
    const isRecording = () => readdirSync(theirs).length > 0
    await waitUntil('it is recorded', isRecording, LIMIT_MS)
    first.server.process.kill('SIGKILL')
    await first.server[Symbol.asyncDispose]()
    await using second = await startTrunkline(env)
    await completedRecording(second, cut.sid)
    expect((await second.fetchCall(cut.sid)).status).toBe('completed')
    await waitUntil('the media server keeps nothing', () => readdirSync(theirs).length === 0)
    expect(existsSync(join(env['DATA_DIR'] ?? '', 'recordings'))).toBe(true)
  } finally {
    await first[Symbol.asyncDispose]()
  }
})
