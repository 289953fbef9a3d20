/**
 * Speaks text into telephone WAV files with the built-in engine. Each text is synthesised once. Accounts, and
 * the calls of each, are served round-robin.
 */
import { createHash } from 'node:crypto'
import { SharedWork } from '../../platform/async/shared-work.js'
import type { Clock } from '../../platform/clock.js'
import { type CachedFile, FileCache } from '../../platform/files/file-cache.js'
import { AudioWorkers } from '../audio/audio-workers.js'
import { telephoneWavDurationMs } from '../audio/wav.js'
import { type SpeechRequest, SpeechTextError } from '../model/speech-request.js'
import { builtInVoice, maxTextLength } from './voices.js'

export interface Speech extends AsyncDisposable {
  /**
   * Makes a speech file. Rejects with SpeechTextError for text that cannot be spoken, with
   * AdapterError when the engine fails, and with the signal's reason.
   */
  synthesise(request: SpeechRequest, call: SpeakingCall, signal: AbortSignal): Promise<SpokenFile>
}

/** The call that speaks; requests are scheduled by account and call. */
export interface SpeakingCall {
  readonly accountSid: string
  readonly callSid: string
}

export interface SpokenFile {
  /** Absolute path of the file. The file exists for at least one minute. */
  readonly path: string
  readonly durationMs: number
}

export interface SpeechOptions {
  readonly directory: string
  readonly clock: Clock
  readonly maxCacheBytes?: number
  /** Number of synthesis threads; they start on first use. */
  readonly workers?: number
  readonly workerUrl?: URL
}

/**
 * Version of the engine and of the audio processing, part of every cache key; a new version invalidates all
 * files.
 */
const ENGINE = 'flite-2.3 telephone-2'
const PLAIN = { rate: 1, gainDb: 0 }
const MAX_CACHE_BYTES = 512 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** Replacements that turn written text into ASCII that the English synthesiser can speak. */
const SPOKEN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201b]/g, "'"],
  [/[\u201c\u201d\u201e]/g, '"'],
  [/[\u2013\u2014]/g, ', '],
  [/\u2026/g, '. '],
  [/€\s?([0-9][0-9.,]*)/g, '$1 euros'],
  [/£\s?([0-9][0-9.,]*)/g, '$1 pounds'],
  [/€/g, ' euros '],
  [/£/g, ' pounds '],
  [/°/g, ' degrees '],
  [/ß/g, 'ss'],
  [/[æÆ]/g, 'ae'],
  [/[œŒ]/g, 'oe'],
  [/[øØ]/g, 'o'],
  [/[łŁ]/g, 'l'],
  [/[đĐðÐ]/g, 'd'],
  [/[þÞ]/g, 'th'],
  [/ı/g, 'i'],
]

export function createSpeech(options: SpeechOptions): Speech {
  const { directory, clock, maxCacheBytes: maxBytes = MAX_CACHE_BYTES } = options
  const cache = new FileCache({ directory, maxBytes, clock })
  const shared = new SharedWork<CachedFile>()
  const workers = new AudioWorkers({
    count: options.workers ?? 1,
    timeoutMs: TIMEOUT_MS,
    url: options.workerUrl,
  })
  return {
    synthesise: async (request, { accountSid, callSid }, signal) => {
      const text = textOf(request)
      const key = keyOf(request)
      // The key includes the account: no account waits in another one's queue.
      const { path, bytes } = await shared.run(`${accountSid} ${key}`, signal, async (stop) => {
        const known = await cache.find(key)
        if (known !== undefined) return known
        const voice = builtInVoice(request.voice, request.language)
        const { rate, gainDb } = request.markup ?? PLAIN
        const task = { type: 'speak', text, voice, rate, gainDb } as const
        const claim = { group: accountSid, member: callSid }
        return cache.add(key, await workers.run(task, claim, stop))
      })
      return { path, durationMs: telephoneWavDurationMs(bytes) }
    },
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  }
}

function textOf({ text, voice }: SpeechRequest): string {
  const limit = maxTextLength(voice)
  if (text.length > limit)
    throw new SpeechTextError(13521, `text has ${text.length} characters, ${limit} are allowed`)
  const spoken = speakable(text)
  if (spoken === undefined)
    throw new SpeechTextError(13520, 'there is nothing to speak in the text')
  return spoken
}

/** The text as ASCII; undefined when nothing pronounceable is left, such as for a text in another script. */
export function speakable(text: string): string | undefined {
  const plain = SPOKEN.reduce((rest, [written, said]) => rest.replace(written, said), text)
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return /[A-Za-z0-9]/.test(plain) ? plain : undefined
}

/** True when every letter of the text is Latin, so that an English voice can speak it roughly. */
export function sharesLetters(text: string): boolean {
  return !/(?!\p{Script=Latin})\p{Letter}/u.test(text)
}

/** Cache key of the whole request, so that two different requests never share a file. */
function keyOf({ text, voice, language, markup }: SpeechRequest): string {
  const { rate, gainDb } = markup ?? PLAIN
  const whole = JSON.stringify([ENGINE, text, voice ?? '', language ?? '', rate, gainDb])
  return createHash('sha256').update(whole).digest('hex')
}
