import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunningTrunkline } from '../process/trunkline.js'
import type { VoiceApp } from '../voice/voice-app.js'
import { RATE, toneLevel, toneShare } from './tone.js'

/** Downloads the audio of a recording with its account's credentials; `path` is relative to `/Recordings/`. */
export async function downloadRecording(
  trunkline: Pick<RunningTrunkline, 'http' | 'account'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: Response; readonly bytes: Buffer }> {
  const { sid, secret } = trunkline.account
  const authorization = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
  const url = `${trunkline.http}/2010-04-01/Accounts/${sid}/Recordings/${path}`
  const answer = await fetch(url, { headers: { authorization, ...headers } })
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** Samples of one channel of a WAV file created by this server. */
export function channelOf(wav: Buffer, index: number): Int16Array {
  const channels = wav.readUInt16LE(22)
  const count = Math.floor((wav.length - 44) / 2 / channels)
  return Int16Array.from({ length: count }, (_, i) =>
    wav.readInt16LE(44 + 2 * (i * channels + index)),
  )
}

export const secondsOf = (wav: Buffer): number => (wav.length - 44) / 16_000 / wav.readUInt16LE(22)

/** Samples of an unfinished mono or mixed recording on disk. A skipped pause starts another part. */
export function samplesSoFar(
  { folder }: Pick<RunningTrunkline, 'folder'>,
  recordingSid: string,
  part = 0,
): Int16Array {
  const file = join(folder, 'data', 'recordings', `${recordingSid}-${part}.wav`)
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.of()
  const count = Math.max(0, (bytes.length - 44) >> 1)
  return Int16Array.from({ length: count }, (_, index) => bytes.readInt16LE(44 + 2 * index))
}

/** True when the unfinished recording contains a sample that is not silent. */
export function hasSound(trunkline: Pick<RunningTrunkline, 'folder'>, recordingSid: string) {
  return samplesSoFar(trunkline, recordingSid).some((sample) => sample !== 0)
}

const BLOCK = 80
const AUDIBLE = 500

/** Time from the first 10 ms with the tone to the last, ms; 0 without the tone. */
export function toneMs(samples: Int16Array, hz: number): number {
  const count = Math.floor(samples.length / BLOCK)
  const holds = Array.from({ length: count }, (_, i) => {
    const block = samples.subarray(i * BLOCK, (i + 1) * BLOCK)
    // The edges of a tone contain a little of every frequency.
    return toneLevel(block, hz) > AUDIBLE && toneShare(block, hz) > 0.25
  })
  const first = holds.indexOf(true)
  return first === -1 ? 0 : (holds.lastIndexOf(true) + 1 - first) * 10
}

export function longestSilenceMs(samples: Int16Array): number {
  let longest = 0
  let run = 0
  for (const sample of samples) {
    run = Math.abs(sample) < 64 ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return (1_000 * longest) / RATE
}

/** Callbacks about a call's recordings to pages with that prefix, oldest first. */
export function recordingsTold(
  app: VoiceApp,
  callSid: string,
  path = '/recording',
): readonly Readonly<Record<string, string>>[] {
  return app.sink.requests
    .filter(({ target }) => target.startsWith(path))
    .map(({ params }): Record<string, string> => Object.fromEntries(params))
    .filter((params) => params['CallSid'] === callSid)
}
