/**
 * espeak-ng, a program of this machine, for languages that the built-in voices lack. Each text is one process:
 * text by stdin, WAV from stdout, limited in time and bytes, and killed when nobody waits for it.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { linkAbort, reasonOf } from '../../platform/async/abort.js'
import { SharedWork } from '../../platform/async/shared-work.js'
import { Slots } from '../../platform/async/slots.js'
import type { Clock } from '../../platform/clock.js'
import { DomainError } from '../../platform/errors.js'
import { type CachedFile, FileCache } from '../../platform/files/file-cache.js'
import { AudioWorkers } from '../audio/audio-workers.js'
import { telephoneWavDurationMs } from '../audio/wav.js'
import type { SpeechRequest } from '../model/speech-request.js'
import type { SpeakingCall, SpokenFile } from './speech.js'
import { isManVoice } from './voices.js'

export interface CommandEngine extends AsyncDisposable {
  /** Resolves with the program's voice for a language tag; undefined when it has none. */
  voiceFor(language: string): Promise<string | undefined>
  /** Speaks with a voice of `voiceFor`. Rejects with SpeechCommandError or the signal's reason. */
  speak(
    request: SpeechRequest,
    voice: string,
    call: SpeakingCall,
    signal: AbortSignal,
  ): Promise<SpokenFile>
}

export interface CommandEngineOptions {
  /** Absolute path of the program. */
  readonly command: string
  readonly directory: string
  readonly clock: Clock
  readonly maxCacheBytes?: number
  readonly workerUrl?: URL
  readonly timeoutMs?: number
  /** Maximum size of the program's output, bytes. */
  readonly maxOutputBytes?: number
}

/** The program failed, took too long or wrote no audio. */
export class SpeechCommandError extends DomainError {
  override readonly name = 'SpeechCommandError'
  readonly code = 'speech-command'
}

const VERSION = 'command-1'
const MAX_CACHE_BYTES = 128 * 1024 * 1024
const TIMEOUT_MS = 10_000
const CONVERT_TIMEOUT_MS = 60_000
const MAX_SPEECH_MS = 600_000
/** Ten minutes at 22.05 kHz and 16 bits. */
const MAX_BYTES = 27 * 1024 * 1024
const WORDS_PER_MINUTE = 160
const RATES = { min: 80, max: 450 }
/** The program's names for languages that others name differently. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['zh', 'cmn'],
  ['no', 'nb'],
])

/**
 * espeak-ng opens the file that an `audio` element names, and puts its name into a command of the shell. Documents
 * cannot contain one; this holds whatever they learn.
 */
const AUDIO_TAG = /<\/?audio\b[^>]*>?/gi

interface Run {
  readonly args: readonly string[]
  readonly input: string
}

export function createCommandEngine(options: CommandEngineOptions): CommandEngine {
  const { directory, clock, command, maxCacheBytes: maxBytes = MAX_CACHE_BYTES } = options
  const { timeoutMs = TIMEOUT_MS, maxOutputBytes = MAX_BYTES } = options
  const cache = new FileCache({ directory, maxBytes, clock })
  const shared = new SharedWork<CachedFile>()
  const slots = new Slots(Math.max(2, availableParallelism()))
  const closing = new AbortController()
  const workers = new AudioWorkers({
    count: 1,
    timeoutMs: CONVERT_TIMEOUT_MS,
    url: options.workerUrl,
  })
  let languages: Promise<ReadonlySet<string>> | undefined

  const run = async (what: Run, signal: AbortSignal): Promise<Buffer> => {
    const reason = () => new SpeechCommandError(`it took more than ${timeoutMs} ms`)
    using limited = linkAbort([signal, closing.signal], { ms: timeoutMs, reason })
    const giveBack = await slots.take(limited.signal)
    try {
      return await outputOf(command, { ...what, maxOutputBytes }, limited.signal)
    } finally {
      giveBack()
    }
  }

  return {
    voiceFor: async (language) => {
      languages ??= run({ args: ['--voices'], input: '' }, closing.signal).then(languagesOf)
      try {
        return bestVoice(language, await languages)
      } catch (error) {
        languages = undefined // the next text asks again
        if (error instanceof SpeechCommandError) return undefined
        throw error
      }
    },
    speak: async (request, voice, { accountSid, callSid }, signal) => {
      const what = runOf(request, voice)
      const key = createHash('sha256')
        .update(JSON.stringify([VERSION, what, request.markup?.gainDb]))
        .digest('hex')
      const { path, bytes } = await shared.run(`${accountSid} ${key}`, signal, async (stop) => {
        const known = await cache.find(key)
        if (known !== undefined) return known
        const file = await run(what, stop)
        const task = { type: 'convert', file, format: 'wav', maxDurationMs: MAX_SPEECH_MS } as const
        const claim = { group: accountSid, member: callSid }
        return cache.add(key, await workers.run(task, claim, stop))
      })
      return { path, durationMs: telephoneWavDurationMs(bytes) }
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort(new SpeechCommandError('the server stops'))
      await workers[Symbol.asyncDispose]()
    },
  }
}

function runOf({ text, markup, voice: name }: SpeechRequest, voice: string): Run {
  const rate = Math.round(WORDS_PER_MINUTE * (markup?.rate ?? 1))
  const isMan = isManVoice(name)
  const named = `${voice}${isMan ? '' : '+f2'}`
  // The markup has the rate already.
  const how =
    markup === undefined
      ? ['-s', String(Math.min(RATES.max, Math.max(RATES.min, rate)))]
      : ['-m', '-s', String(WORDS_PER_MINUTE)]
  const input = markup?.ssml.replace(AUDIO_TAG, '') ?? text
  return { args: ['--stdin', '--stdout', '-v', named, ...how], input }
}

/** Reads the table of `--voices`: the second column holds language tags. */
function languagesOf(table: Buffer): ReadonlySet<string> {
  const rows = table.toString('utf8').split('\n').slice(1)
  const tags = rows.map((row) => row.trim().split(/\s+/)[1] ?? '')
  return new Set(tags.filter((tag) => /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/.test(tag)))
}

function bestVoice(language: string, known: ReadonlySet<string>): string | undefined {
  const tag = language.toLowerCase()
  const primary = tag.split('-')[0] ?? ''
  const wanted = [tag, OTHER_NAMES.get(primary) ?? primary]
  return (
    wanted.find((each) => known.has(each)) ??
    // French of no region is not in the table, French of France is.
    [`${primary}-${primary}`].find((each) => known.has(each)) ??
    [...known].find((each) => each.startsWith(`${primary}-`))
  )
}

/** Resolves with what the program writes to stdout; kills it when the signal aborts. */
function outputOf(
  command: string,
  { args, input, maxOutputBytes }: Run & { readonly maxOutputBytes: number },
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The program gets none of this process's environment, which holds secrets.
    const child = spawn(command, args, { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
    const parts: Buffer[] = []
    let size = 0
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      child.kill('SIGKILL')
      settle()
    }
    const fail = (message: string, cause?: unknown): void => {
      end(() => {
        reject(new SpeechCommandError(message, { cause }))
      })
    }
    const onAbort = (): void => {
      end(() => {
        reject(reasonOf(signal))
      })
    }
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', (part: Buffer) => {
      size += part.length
      if (size > maxOutputBytes) fail('it wrote too much')
      else parts.push(part)
    })
    child.on('error', (error) => {
      fail('it could not be run', error)
    })
    // A program that does not read its text ends with a status, which is what is told.
    child.stdin.on('error', () => undefined)
    child.on('close', (status) => {
      if (status === 0 && size > 0)
        end(() => {
          resolve(Buffer.concat(parts))
        })
      else fail(`it ended with status ${String(status)}`)
    })
    child.stdin.end(input)
  })
}
