/**
 * Gather: collects digits while it plays prompts.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the current document | – |
 * | method | GET, POST | POST | 13312 |
 * | input | dtmf, speech, dtmf speech | dtmf | 13326 |
 * | timeout | seconds from 1, after the prompts and after each digit | 5 | 13313 |
 * | finishOnKey | one of 0-9 # *; empty = none | # | 13310 |
 * | numDigits | whole number from 1 | unlimited | 13314 |
 * | actionOnEmptyResult | true, false | false | 13338 |
 * | language | language tag | en-US | 13331 |
 * | hints | up to 500 phrases of up to 100 characters, separated by commas | none | 13330 |
 * | partialResultCallback | URL | none | – |
 * | partialResultCallbackMethod | GET, POST | POST | 12200 |
 * | profanityFilter | true, false | true | 13333 |
 * | speechModel | name of a model | default | 13334 |
 * | speechTimeout | seconds from 1, auto | timeout | 13327; 13335 auto with default |
 * | bargeIn | true, false | true | 13332 |
 * | maxSpeechTime | seconds, 1 to 60 | 60 | 13328 |
 * | enhanced, debug | true, false | false | 12200 |
 * | (children) | Say, Play, Pause | none | 13320 |
 */
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import { type AttributeReader, readAttributes } from './attributes.js'
import { type PauseVerb, parsePause } from './pause.js'
import { type PlayVerb, parsePlay } from './play.js'
import { parseSay, type SayVerb } from './say.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export type Prompt = SayVerb | PlayVerb | PauseVerb

export interface GatherVerb {
  readonly type: 'gather'
  readonly element: XmlElement
  readonly action: string | undefined
  readonly method: WebhookMethod
  readonly input: 'dtmf' | 'speech' | 'dtmf speech'
  readonly timeoutMs: number
  /** The key that finishes the input; empty when no key does. */
  readonly finishOnKey: string
  readonly numDigits: number | undefined
  readonly actionOnEmptyResult: boolean
  readonly bargeIn: boolean
  readonly speech: SpeechInput
  readonly prompts: readonly Prompt[]
}

export interface SpeechInput {
  readonly language: string
  readonly hints: readonly string[]
  readonly partialResultCallback: string | undefined
  readonly partialResultCallbackMethod: WebhookMethod
  readonly profanityFilter: boolean
  readonly model: string
  /** Silence after speech, in seconds; the Gather's own timeout when undefined. */
  readonly timeout: number | 'auto' | undefined
  readonly maxTimeMs: number
  readonly enhanced: boolean
  readonly debug: boolean
}

const MAX_SECONDS = 86_400
const MAX_HINTS = 500
const MAX_HINT_LENGTH = 100
const SAY_CODES = { voice: 13321, loop: 13322 } as const

export function parseGather(element: XmlElement, warn: Warn): GatherVerb {
  const read = readAttributes(element, warn)
  const seconds = { min: 1, max: MAX_SECONDS }
  return {
    type: 'gather',
    element,
    action: read.text('action'),
    method: read.method('method', 13312),
    input: read.custom('input', toInput, 'dtmf, speech or both', {
      otherwise: 'dtmf',
      code: 13326,
    }),
    timeoutMs: read.integer('timeout', seconds, { otherwise: 5, code: 13313 }) * 1000,
    finishOnKey: read.custom('finishOnKey', toKey, 'one of 0-9 # * or empty', {
      otherwise: '#',
      code: 13310,
    }),
    numDigits: read.integer('numDigits', { min: 1 }, { otherwise: undefined, code: 13314 }),
    actionOnEmptyResult: read.boolean('actionOnEmptyResult', { otherwise: false, code: 13338 }),
    bargeIn: read.boolean('bargeIn', { otherwise: true, code: 13332 }),
    speech: parseSpeechInput(read, warn),
    prompts: parsePrompts(element, warn),
  }
}

function parseSpeechInput(read: AttributeReader, warn: Warn): SpeechInput {
  const timeout = read.custom('speechTimeout', toSpeechTimeout, 'seconds or auto', {
    otherwise: undefined,
    code: 13327,
  })
  if (timeout === 'auto' && read.text('speechModel') === 'default')
    warn(13335, 'Gather: speechTimeout="auto" does not go with speechModel="default"')
  const maxSeconds = read.integer(
    'maxSpeechTime',
    { min: 1, max: 60 },
    { otherwise: 60, code: 13328 },
  )
  return {
    language: read.custom('language', toLanguage, 'a language tag such as en-US', {
      otherwise: 'en-US',
      code: 13331,
    }),
    hints: read.custom('hints', toHints, `${MAX_HINTS} phrases of ${MAX_HINT_LENGTH} characters`, {
      otherwise: [],
      code: 13330,
    }),
    partialResultCallback: read.text('partialResultCallback'),
    partialResultCallbackMethod: read.method('partialResultCallbackMethod', 12200),
    profanityFilter: read.boolean('profanityFilter', { otherwise: true, code: 13333 }),
    model: read.custom('speechModel', toModel, 'the name of a model', {
      otherwise: 'default',
      code: 13334,
    }),
    timeout,
    maxTimeMs: maxSeconds * 1000,
    enhanced: read.boolean('enhanced', { otherwise: false, code: 12200 }),
    debug: read.boolean('debug', { otherwise: false, code: 12200 }),
  }
}

function parsePrompts(element: XmlElement, warn: Warn): Prompt[] {
  return element.children.flatMap((child): Prompt[] => {
    if (child.type === 'text') return []
    if (child.name === 'Say') return [parseSay(child, warn, SAY_CODES)]
    if (child.name === 'Play') return [parsePlay(child, warn, true)]
    return child.name === 'Pause' ? [parsePause(child, warn)] : []
  })
}

function toInput(value: string): GatherVerb['input'] | undefined {
  const kinds = value.split(/[\s,]+/).filter((kind) => kind !== '')
  if (kinds.length === 0 || kinds.some((kind) => kind !== 'dtmf' && kind !== 'speech'))
    return undefined
  const hasDtmf = kinds.includes('dtmf')
  return hasDtmf && kinds.includes('speech') ? 'dtmf speech' : hasDtmf ? 'dtmf' : 'speech'
}

function toKey(value: string): string | undefined {
  return /^[0-9#*]?$/.test(value) ? value : undefined
}

function toSpeechTimeout(value: string): number | 'auto' | undefined {
  if (value === 'auto') return value
  return /^[1-9][0-9]{0,4}$/.test(value) ? Number.parseInt(value, 10) : undefined
}

function toLanguage(value: string): string | undefined {
  return /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(value) ? value : undefined
}

function toModel(value: string): string | undefined {
  return /^[\w.-]{1,100}$/.test(value) ? value : undefined
}

function toHints(value: string): string[] | undefined {
  const hints = value
    .split(',')
    .map((hint) => hint.trim())
    .filter((hint) => hint !== '')
  const isWithin = hints.length <= MAX_HINTS && hints.every((h) => h.length <= MAX_HINT_LENGTH)
  return isWithin ? hints : undefined
}
