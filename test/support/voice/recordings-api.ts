import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicApp } from '../../../src/platform/http/public-app.js'
import { newSid } from '../../../src/platform/ids.js'
import { createLogger } from '../../../src/platform/log.js'
import { createVoiceApi } from '../../../src/voice/api/voice-api.js'
import type { RecordingRecord } from '../../../src/voice/recordings/recording-record.js'
import { insertRecording } from '../../../src/voice/recordings/recording-storage.js'
import { sine } from '../sound/tone.js'
import { toneWav } from '../sound/wav-bytes.js'
import { setUpCalls } from './calls-fixture.js'

/** Serves the voice API over existing recordings, on a server with these settings. */
export async function setUpRecordingsApi(settings: Readonly<Record<string, string>> = {}) {
  const bench = await setUpCalls(undefined, undefined, settings)
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const { sid: accountSid, secret } = bench.account
  const authorization = `Basic ${Buffer.from(`${accountSid}:${secret}`).toString('base64')}`
  const account = `/2010-04-01/Accounts/${accountSid}`
  return {
    ...bench,
    accountPath: account,
    /** Sends a request; `path` is relative to the account's. */
    request: async (path: string, init: RequestInit = {}) => {
      const headers = { authorization, ...(init.headers as Record<string, string> | undefined) } // as given
      const answer = await app.request(`${account}${path}`, { ...init, headers })
      return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
    },
    /** Stores a recording, with a file of one tone per channel. */
    add: async (rest: Partial<RecordingRecord> = {}, tones: readonly number[] = [440]) => {
      const record = recordOf(accountSid, {
        channels: tones.length === 2 ? 'dual' : 'mono',
        ...rest,
      })
      await bench.db.write((tx) => insertRecording(tx, record))
      if (tones.length > 0)
        writeFileSync(join(bench.recordingsFolder, `${record.sid}.wav`), tonesWav(tones, 2))
      return record
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}

function recordOf(accountSid: string, rest: Partial<RecordingRecord>): RecordingRecord {
  return {
    sid: newSid('RE'),
    accountSid,
    conferenceSid: undefined,
    maxMs: undefined,
    callback: undefined,
    callSid: newSid('CA'),
    source: 'OutboundAPI',
    channels: 'mono',
    track: 'both',
    trim: 'do-not-trim',
    status: 'completed',
    startedAt: 0,
    durationMs: 2_000,
    errorCode: undefined,
    price: undefined,
    createdAt: 0,
    updatedAt: 0,
    ...rest,
  }
}

function tonesWav(tones: readonly number[], seconds: number): Buffer {
  const channels = tones.map((hz) => sine(hz, 8_000 * seconds))
  const count = tones.length
  const wav = Buffer.alloc(44 + 16_000 * seconds * count)
  toneWav(440, 0).copy(wav)
  wav.writeUInt16LE(count, 22)
  channels.forEach((samples, channel) => {
    samples.forEach((sample, index) => wav.writeInt16LE(sample, 44 + 2 * (index * count + channel)))
  })
  return wav
}
