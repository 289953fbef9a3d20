/**
 * Dial: connects the caller with another party.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the next verb | – |
 * | method | GET, POST | POST | 13210 |
 * | timeout | seconds of ringing, 5 to 600 | 30 | 13212 |
 * | hangupOnStar | true, false | false | 13213 |
 * | callerId | a number, sip: URI or name of up to 64 characters | the call's From | 13214, 13248 too long |
 * | timeLimit | seconds of connection, 1 to 86400 | 14400 | 13216 |
 * | record | do-not-record, record-from-answer(-dual), record-from-ringing(-dual), true, false | do-not-record | 13217 |
 * | recordingTrack | both, inbound, outbound | both | 13217 |
 * | trim | trim-silence, do-not-trim | do-not-trim | 13217 |
 * | recordingStatusCallback | URL, may be relative | none | – |
 * | recordingStatusCallbackMethod | GET, POST | POST | 13256 |
 * | recordingStatusCallbackEvent | in-progress, completed, absent | completed | 13256 |
 * | sequential | true, false | false | 13218 |
 * | answerOnBridge | true, false | false | 13219 |
 * | ringTone | a country's code | us | 13220 |
 * | referUrl, referMethod | URL; GET, POST | none; POST | 12200 |
 * | callReason | up to 50 characters | none | 12200 |
 * | events, passports, recordingConfigurationId | accepted | – | – |
 * | (text) | a number, when there are no nouns | – | 13223 |
 * | (children) | up to ten nouns | – | 13215; 13250 from the eleventh; 13000 mixed |
 *
 * `ineffective-attributes.ts` lists those without effect around an entered noun, each a warning (12200).
 */
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { isClientName } from '../../model/address.js'
import type { RecordingEvent } from '../../model/recording-wish.js'
import { type ApplicationNoun, parseApplication } from './application.js'
import { type AttributeReader, readAttributes } from './attributes.js'
import { type Callback, type EventCallback, readRecordingCallback } from './callbacks.js'
import { type ConferenceNoun, parseConference } from './conference.js'
import { readCalledParty } from './dial-noun.js'
import { type NumberNoun, numberInText, parseNumber } from './dial-number.js'
import { RING_TONES, type RingTone } from './dial-ring-tones.js'
import { parseSip, type SipNoun } from './dial-sip.js'
import { parseQueue, type QueueNoun } from './queue.js'
import { RECORDED_TRACKS, type RecordedTrack, TRIMS, type Trim } from './record.js'
import { collapse, textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export interface DialVerb {
  readonly type: 'dial'
  readonly element: XmlElement
  /** The action's URL; undefined: the next verb follows. */
  readonly action: string | undefined
  readonly method: WebhookMethod
  readonly timeoutMs: number
  readonly timeLimitMs: number
  readonly hangupOnStar: boolean
  readonly answerOnBridge: boolean
  /** The caller ID; the call's From when undefined. */
  readonly callerId: string | undefined
  readonly callReason: string | undefined
  readonly order: 'simultaneous' | 'sequential'
  /** The ringing tone; undefined when the document sets none. */
  readonly ringTone: RingTone | undefined
  readonly recording: DialRecording | undefined
  readonly refer: Callback | undefined
  readonly nouns: readonly DialNoun[]
}

/**
 * A noun of a Dial. Numbers and SIP addresses are called; conferences, queues and applications are entered.
 * One Dial never has both kinds.
 */
export type DialNoun =
  | NumberNoun
  | SipNoun
  | ConferenceNoun
  | QueueNoun
  | ApplicationNoun
  | OtherNoun

/** A noun of the grammar that this program does not support, kept as written. */
export interface OtherNoun {
  readonly type: 'other'
  readonly element: XmlElement
}

export interface DialRecording {
  readonly from: 'answer' | 'ringing'
  readonly channels: 'mono' | 'dual'
  readonly track: RecordedTrack
  readonly trim: Trim
  readonly statusCallback: EventCallback<RecordingEvent> | undefined
}

const MAX_NOUNS = 10
const MAX_CALLER_ID = 64
const MAX_REASON = 50
/** Maximum time in seconds. No call lasts longer, and a timer above 2^31 ms would fire at once. */
const MAX_SECONDS = 86_400

const CODES = { method: 13241, sendDigits: 13242 } as const

/** The parsers of Dial's nouns. A parser returns undefined when the noun names nobody to call. */
const NOUNS: ReadonlyMap<string, (element: XmlElement, warn: Warn) => DialNoun | undefined> =
  new Map<string, (element: XmlElement, warn: Warn) => DialNoun | undefined>([
    ['Number', parseNumber],
    ['Sip', parseSip],
    ['Client', parseClient],
    ['Conference', parseConference],
    ['Queue', parseQueue],
    ['Application', parseApplication],
  ])

/**
 * Client: a registered softphone that Dial calls by its user name, at any SIP domain of the account.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | url | URL of markup for the called party, may be relative | none | – |
 * | method | GET, POST | POST | 13241 |
 * | statusCallback… | as of Number | | |
 * | (text) or Identity | the user name, 1 to 121 characters | – | 13243, not dialled |
 * | Parameter | accepted, not sent: SIP cannot carry it | – | – |
 *
 * Returns undefined when the element names nobody.
 */
function parseClient(element: XmlElement, warn: Warn): SipNoun | undefined {
  const party = readCalledParty(readAttributes(element, warn), CODES)
  const identity = element.children.find(
    (child): child is XmlElement => child.type === 'element' && child.name === 'Identity',
  )
  const own = element.children.map((child) => (child.type === 'text' ? child.text : '')).join('')
  const name = (identity === undefined ? own : textOf(identity)).trim()
  if (!isClientName(name)) {
    warn(13243, `Client: "${name.slice(0, 60)}" is not a user name; not dialled`)
    return undefined
  }
  const target = { uri: `client:${name}`, auth: undefined }
  return { type: 'sip', element, targets: [target], headers: {}, party }
}

export function parseDial(element: XmlElement, warn: Warn): DialVerb {
  const read = readAttributes(element, warn)
  const timeLimit = { min: 1, max: MAX_SECONDS }
  const ringing = { min: 5, max: 600 }
  const no = (code: ErrorNumber) => ({ otherwise: false, code })
  return {
    type: 'dial',
    element,
    action: read.text('action'),
    method: read.method('method', 13210),
    timeoutMs: read.integer('timeout', ringing, { otherwise: 30, code: 13212 }) * 1000,
    timeLimitMs: read.integer('timeLimit', timeLimit, { otherwise: 14_400, code: 13216 }) * 1000,
    hangupOnStar: read.boolean('hangupOnStar', no(13213)),
    answerOnBridge: read.boolean('answerOnBridge', no(13219)),
    callerId: readCallerId(read, warn),
    callReason: read.custom('callReason', toReason, `at most ${MAX_REASON} characters`, {
      otherwise: undefined,
      code: 12200,
    }),
    order: read.boolean('sequential', no(13218)) ? 'sequential' : 'simultaneous',
    ringTone: read.custom('ringTone', (code) => RING_TONES.get(code.trim()), "a country's code", {
      otherwise: undefined,
      code: 13220,
    }),
    recording: readRecording(read),
    refer: readRefer(read),
    nouns: readNouns(element, warn),
  }
}

function readNouns(element: XmlElement, warn: Warn): readonly DialNoun[] {
  const children = element.children.filter((child) => child.type === 'element')
  if (children.length > MAX_NOUNS)
    warn(13250, `Dial: ${children.length} nouns are too many; the first ${MAX_NOUNS} are dialled`)
  const text = element.children.map((child) => (child.type === 'text' ? child.text : '')).join('')
  if (children.length > 0) {
    if (text.trim() !== '')
      warn(12200, `Dial: "${text.trim()}" stands beside nouns, and is not dialled`)
    const nouns = children.slice(0, MAX_NOUNS).flatMap((child) => readNoun(child, warn))
    return ofOneKind(nouns, warn)
  }
  if (text.trim() === '') return []
  const noun = numberInText(text, element, warn)
  return noun === undefined ? [] : [noun]
}

function readNoun(element: XmlElement, warn: Warn): readonly DialNoun[] {
  const parse = NOUNS.get(element.name)
  if (parse === undefined) return [{ type: 'other', element }]
  const noun = parse(element, warn)
  return noun === undefined ? [] : [noun]
}

/** Returns only the first noun if it is a place to enter, else all parties to call. */
function ofOneKind(nouns: readonly DialNoun[], warn: Warn): readonly DialNoun[] {
  const [first] = nouns
  if (first === undefined) return nouns
  const kept = isPlace(first) ? [first] : nouns.filter((noun) => !isPlace(noun))
  if (kept.length < nouns.length)
    warn(13000, `Dial: <${first.element.name}> cannot be mixed with other nouns; they are ignored`)
  return kept
}

function isPlace({ type }: DialNoun): boolean {
  return type === 'conference' || type === 'queue' || type === 'application'
}

function readCallerId(read: AttributeReader, warn: Warn): string | undefined {
  const written = read.text('callerId')?.trim() ?? ''
  if (written === '') return undefined
  if (written.length > MAX_CALLER_ID) {
    warn(13248, `Dial: a callerId of ${written.length} characters is too long; ignored`)
    return undefined
  }
  const isPlausible =
    /^\+?[0-9(][0-9\s().-]*$/.test(written) ||
    /^(?:sips?:|client:)?[\w.+-]+(?:@[\w.-]+)?$/.test(written)
  if (isPlausible) return written
  warn(13214, `Dial: callerId="${written}" is neither a number nor a name; ignored`)
  return undefined
}

function readRecording(read: AttributeReader): DialRecording | undefined {
  const mode = read.custom('record', toRecordMode, 'one of the documented values', {
    otherwise: undefined,
    code: 13217,
  })
  const no = <T>(otherwise: T) => ({ otherwise, code: 13217 }) as const
  const track = read.oneOf('recordingTrack', RECORDED_TRACKS, no<RecordedTrack>('both'))
  const trim = read.oneOf('trim', TRIMS, no<Trim>('do-not-trim'))
  const statusCallback = readRecordingCallback(read, 13256)
  return mode === undefined || mode === 'off' ? undefined : { ...mode, track, trim, statusCallback }
}

function readRefer(read: AttributeReader): Callback | undefined {
  const method = read.method('referMethod', 12200)
  const url = read.text('referUrl')?.trim() ?? ''
  return url === '' ? undefined : { url, method }
}

function toRecordMode(value: string): 'off' | Pick<DialRecording, 'from' | 'channels'> | undefined {
  switch (value.trim()) {
    case 'do-not-record':
    case 'false':
      return 'off'
    case 'true':
    case 'record-from-answer':
      return { from: 'answer', channels: 'mono' }
    case 'record-from-answer-dual':
      return { from: 'answer', channels: 'dual' }
    case 'record-from-ringing':
      return { from: 'ringing', channels: 'mono' }
    case 'record-from-ringing-dual':
      return { from: 'ringing', channels: 'dual' }
    default:
      return undefined
  }
}

function toReason(value: string): string | undefined {
  const reason = collapse(value)
  return reason.length <= MAX_REASON ? reason : undefined
}
