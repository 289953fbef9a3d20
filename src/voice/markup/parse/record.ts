/**
 * Record: records what the caller says.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | action | URL, may be relative | the current document | – |
 * | method | GET, POST | POST | 13610 |
 * | timeout | seconds of silence from 0; 0 = silence does not end it | 5 | 13611 |
 * | finishOnKey | any of 0-9 # *; empty = none | 1234567890*# | 13613 |
 * | maxLength | seconds, 2 to 14400 | 3600; 120 with transcribe | 13612; 13615 over 120 then |
 * | playBeep | true, false | true | 13616 |
 * | trim | trim-silence, do-not-trim | trim-silence | 13699 |
 * | transcribe | true, false | false; true with transcribeCallback | 13614 |
 * | transcribeCallback | URL | none | – |
 * | recordingTrack | both, inbound, outbound | both | 13622 |
 * | recordingStatusCallback | URL | none | – |
 * | recordingStatusCallbackMethod | GET, POST | POST | 13621 |
 * | recordingStatusCallbackEvent | in-progress, completed, absent | completed | 13621 |
 * | recordingConfigurationId | any; has no effect | none | – |
 */

import type { WebhookMethod } from '../../../platform/http/http-method.js'
import type { RecordingEvent } from '../../model/recording-wish.js'
import { type AttributeReader, readAttributes } from './attributes.js'
import { type EventCallback, readRecordingCallback } from './callbacks.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** The recorded side of the call. */
export type RecordedTrack = 'both' | 'inbound' | 'outbound'
export const RECORDED_TRACKS: readonly RecordedTrack[] = ['both', 'inbound', 'outbound']

export type Trim = 'trim-silence' | 'do-not-trim'
export const TRIMS: readonly Trim[] = ['trim-silence', 'do-not-trim']

/** A Record with its documented defaults; URLs are as written. */
export interface RecordVerb {
  readonly type: 'record'
  readonly element: XmlElement
  readonly action: string | undefined
  readonly method: WebhookMethod
  /** Silence that ends the recording, ms; undefined when silence does not end it. */
  readonly silenceMs: number | undefined
  /** The keys that end the recording, as characters; empty when no key does. */
  readonly finishOnKeys: string
  readonly maxLengthMs: number
  readonly playBeep: boolean
  readonly trim: Trim
  readonly transcribe: boolean
  readonly transcribeCallback: string | undefined
  readonly track: RecordedTrack
  readonly statusCallback: EventCallback<RecordingEvent> | undefined
}

const MAX_SECONDS = 14_400
const MAX_TRANSCRIBED_SECONDS = 120
const ALL_KEYS = '1234567890*#'

export function parseRecord(element: XmlElement, warn: Warn): RecordVerb {
  const read = readAttributes(element, warn)
  const transcribeCallback = read.text('transcribeCallback')
  const transcribe = read.boolean('transcribe', {
    otherwise: transcribeCallback !== undefined,
    code: 13614,
  })
  const silence = read.integer('timeout', { min: 0, max: 86_400 }, { otherwise: 5, code: 13611 })
  return {
    type: 'record',
    element,
    action: read.text('action'),
    method: read.method('method', 13610),
    silenceMs: silence === 0 ? undefined : silence * 1000,
    finishOnKeys: read.custom('finishOnKey', toKeys, 'of 0-9 # * or empty', {
      otherwise: ALL_KEYS,
      code: 13613,
    }),
    maxLengthMs: maxSeconds(read, transcribe, warn) * 1000,
    playBeep: read.boolean('playBeep', { otherwise: true, code: 13616 }),
    trim: read.oneOf('trim', TRIMS, { otherwise: 'trim-silence', code: 13699 }),
    transcribe,
    transcribeCallback,
    track: read.oneOf('recordingTrack', RECORDED_TRACKS, { otherwise: 'both', code: 13622 }),
    statusCallback: readRecordingCallback(read, 13621),
  }
}

function toKeys(value: string): string | undefined {
  return /^[0-9#*]*$/.test(value) ? value : undefined
}

/**
 * Returns the maximum length in seconds. With `transcribe`, a longer recording is not transcribed in full,
 * and a warning says so.
 */
function maxSeconds(read: AttributeReader, transcribe: boolean, warn: Warn): number {
  const otherwise = transcribe ? MAX_TRANSCRIBED_SECONDS : 3600
  const range = { min: 2, max: MAX_SECONDS }
  const seconds = read.integer('maxLength', range, { otherwise, code: 13612 })
  if (transcribe && seconds > MAX_TRANSCRIBED_SECONDS)
    warn(13615, `Record: more than ${MAX_TRANSCRIBED_SECONDS} s are not transcribed`)
  return seconds
}
