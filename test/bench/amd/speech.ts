/**
 * Makes sentences with espeak-ng and flite, as telephone audio kept in a cache.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const AT_ONCE = 2
const PROGRAM_TIMEOUT_MS = 20_000
/** Sound this far below the loudest sample at either end is cut off. */
const TRIM_RATIO = 0.01
const TELEPHONE = ['-r', '8000', '-c', '1', '-b', '16', '-e', 'signed', '-t', 'raw'] as const
/** Without dither, which would be another one in each cache. */
const CONVERTING = ['-D'] as const
const BAND = ['gain', '-3', 'highpass', '300', 'lowpass', '3400'] as const

export interface Sentence {
  /** The voice: `espeak:<voice>` or `flite:<voice>`. */
  readonly voice: string
  /** The speed in words a minute. */
  readonly speed: number
  readonly text: string
}

/** Samples from −1 to 1 at 8 kHz. Speech has no silence at its ends. */
export type Samples = Float64Array

export class Speech {
  readonly #folder: string
  readonly #kept = new Map<string, Samples>()

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
  }

  /** Makes the sentences that the cache lacks. Fails with the program's own error text. */
  async prepare(sentences: readonly Sentence[], progress: (done: number) => void): Promise<void> {
    const missing = sentences.filter((one) => !existsSync(this.#file(one)))
    let next = 0
    const work = async (): Promise<void> => {
      for (let one = missing[next++]; one !== undefined; one = missing[next++]) {
        await this.#make(one)
        if (next % 100 === 0) progress(next / missing.length)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }

  /** Reads the samples of a prepared sentence. */
  read(sentence: Sentence): Samples {
    const file = this.#file(sentence)
    const kept = this.#kept.get(file)
    if (kept !== undefined) return kept
    const bytes = readFileSync(file)
    const samples = Float64Array.from(
      { length: bytes.length >> 1 },
      (_, i) => bytes.readInt16LE(2 * i) / 32_768,
    )
    const trimmed = trim(samples)
    this.#kept.set(file, trimmed)
    return trimmed
  }

  #file(sentence: Sentence): string {
    const key = `${sentence.voice}|${sentence.speed}|${sentence.text}|${CONVERTING.join(' ')}`
    return join(this.#folder, `${createHash('sha256').update(key).digest('hex').slice(0, 24)}.raw`)
  }

  async #make(sentence: Sentence): Promise<void> {
    const file = this.#file(sentence)
    const options = { timeout: PROGRAM_TIMEOUT_MS }
    const [engine = '', voice = ''] = sentence.voice.split(':')
    const spoken = `${file}.wav`
    await run(...speakCommand(engine, voice, sentence, spoken), options)
    await run('sox', [...CONVERTING, spoken, ...TELEPHONE, `${file}.part`, ...BAND], options)
    rmSync(spoken)
    renameSync(`${file}.part`, file)
  }
}

function speakCommand(
  engine: string,
  voice: string,
  { speed, text }: Sentence,
  file: string,
): [string, string[]] {
  if (engine === 'espeak')
    return ['espeak-ng', ['-v', voice, '-s', String(speed), '-w', file, text]]
  const stretch = (165 / speed).toFixed(2)
  return [
    'flite',
    ['-voice', voice, '--setf', `duration_stretch=${stretch}`, '-t', text, '-o', file],
  ]
}

function trim(samples: Samples): Samples {
  const peak = samples.reduce((most, one) => Math.max(most, Math.abs(one)), 0)
  const limit = peak * TRIM_RATIO
  const start = samples.findIndex((one) => Math.abs(one) > limit)
  const end = samples.findLastIndex((one) => Math.abs(one) > limit)
  return samples.subarray(Math.max(0, start), end + 1)
}
