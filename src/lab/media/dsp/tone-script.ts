/**
 * Reads teletone scripts, as FreeSWITCH's `tone_stream://` takes them: a list separated by `;` of
 * settings (`v=` level in dB, `l=` repeat the next tone, `L=` repeat the script, `d=` and `w=`
 * durations of keys, `>=` `<=` `+=` fade) and tones (`%(on,off,hz,…)` in ms, or keys), with
 * `;loops=N` at the end.
 */
import { SAMPLES_PER_MS } from './frame.js'
import { KEY_TONES } from './tone-generator.js'

const MAX_TONES = 18
const MAX_SEGMENTS = 10_000
const MIN_LEVEL_DB = -63

export interface ToneSegment {
  readonly frequencies: readonly number[]
  readonly onSamples: number
  readonly offSamples: number
  readonly levelDb: number
  /** The fade: every `stepSamples` the level changes by `stepDb`. */
  readonly fade: { readonly stepSamples: number; readonly stepDb: number } | undefined
}

export interface ToneScript {
  readonly segments: readonly ToneSegment[]
  /** Number of times that the whole script plays; Infinity for no end. */
  readonly loops: number
}

export class ToneScriptError extends Error {
  override readonly name = 'ToneScriptError'
}

interface Settings {
  durationMs: number
  waitMs: number
  levelDb: number
  fadeStepMs: number
  fadeDirection: -1 | 0 | 1
  fadeDb: number
  repeatNext: number
  repeatAll: number
}

/** Parses a script. Throws ToneScriptError, which names the invalid part. */
export function parseToneScript(script: string): ToneScript {
  const { body, loops } = splitLoops(script)
  const settings: Settings = {
    durationMs: 250,
    waitMs: 62,
    levelDb: -7,
    fadeStepMs: 0,
    fadeDirection: 0,
    fadeDb: 1,
    repeatNext: 1,
    repeatAll: 1,
  }
  const segments: ToneSegment[] = []
  for (const part of body.split(';')) {
    const text = part.replaceAll(/\s/g, '')
    if (text === '') continue
    if (text[1] === '=') applySetting(settings, text)
    else segments.push(...parseTones(text, settings))
    if (segments.length > MAX_SEGMENTS) throw new ToneScriptError('the tone script is too long')
  }
  if (segments.every((one) => one.onSamples + one.offSamples === 0))
    throw new ToneScriptError(`no tone in "${script}"`)
  return { segments, loops: loops * settings.repeatAll }
}

function splitLoops(script: string): { body: string; loops: number } {
  const found = /;loops=(-?\d+)/i.exec(script)
  if (found === null) return { body: script, loops: 1 }
  const loops = Number(found[1])
  return { body: script.slice(0, found.index), loops: loops < 0 ? Infinity : Math.max(1, loops) }
}

const SETTERS: Readonly<Record<string, (settings: Settings, value: number) => void>> = {
  v: (settings, value) => {
    if (value <= 0 && value >= MIN_LEVEL_DB) settings.levelDb = value
  },
  d: (settings, value) => (settings.durationMs = Math.max(0, value)),
  w: (settings, value) => (settings.waitMs = Math.max(0, value)),
  l: (settings, value) => (settings.repeatNext = Math.max(1, Math.trunc(value))),
  L: (settings, value) => (settings.repeatAll = Math.max(1, Math.trunc(value))),
  '>': (settings, value) => {
    settings.fadeStepMs = Math.max(1, value)
    settings.fadeDirection = -1
  },
  '<': (settings, value) => {
    settings.fadeStepMs = Math.max(1, value)
    settings.fadeDirection = 1
  },
  '+': (settings, value) => (settings.fadeDb = value),
  // Sample rate and channel count are ignored: always 8 kHz mono.
  r: () => undefined,
  c: () => undefined,
}

function applySetting(settings: Settings, text: string): void {
  const value = Number.parseFloat(text.slice(2))
  const set = SETTERS[text.slice(0, 1)]
  if (set === undefined) throw new ToneScriptError(`unknown setting "${text}"`)
  if (Number.isNaN(value)) throw new ToneScriptError(`"${text}" has no number`)
  set(settings, value)
}

/** Parses a run of `%(…)` and keys, each key optionally with its own durations: `1(200,100)`. */
function parseTones(text: string, settings: Settings): ToneSegment[] {
  const segments: ToneSegment[] = []
  const token = /([%0-9A-Da-d*#])(?:\(([^)]*)\))?/y
  let at = 0
  while (at < text.length) {
    token.lastIndex = at
    const found = token.exec(text)
    if (found === null) throw new ToneScriptError(`cannot read "${text.slice(at)}"`)
    at = token.lastIndex
    const segment = toSegment(found[1] ?? '', found[2], settings)
    const times = Math.min(settings.repeatNext, MAX_SEGMENTS)
    settings.repeatNext = 1
    for (let i = 0; i < times; i++) segments.push(segment)
  }
  return segments
}

function toSegment(name: string, list: string | undefined, settings: Settings): ToneSegment {
  const numbers = list === undefined ? [] : list.split(',').map(Number)
  if (numbers.some((one) => !Number.isFinite(one) || one < 0))
    throw new ToneScriptError(`cannot read "${name}(${list ?? ''})"`)
  const [onMs = settings.durationMs, offMs = settings.waitMs, ...own] = numbers
  const frequencies = name === '%' ? own.filter((hz) => hz > 0) : KEY_TONES[name.toUpperCase()]
  if (frequencies === undefined || (name === '%' && numbers.length < 3))
    throw new ToneScriptError(`"${name}(${list ?? ''})" needs on, off and a frequency`)
  return {
    frequencies: frequencies.slice(0, MAX_TONES),
    onSamples: Math.round(onMs * SAMPLES_PER_MS),
    offSamples: Math.round(offMs * SAMPLES_PER_MS),
    levelDb: settings.levelDb,
    fade:
      settings.fadeDirection === 0
        ? undefined
        : {
            stepSamples: Math.round(settings.fadeStepMs * SAMPLES_PER_MS),
            stepDb: settings.fadeDirection * settings.fadeDb,
          },
  }
}
