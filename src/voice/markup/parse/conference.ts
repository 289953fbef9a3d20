/**
 * Conference, inside Dial: a room in which all participants hear each other.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | muted | true, false | false | 13230 |
 * | beep | true, false, onEnter, onExit | true | 13235 |
 * | startConferenceOnEnter | true, false | true | 13232 |
 * | endConferenceOnExit | true, false | false | 13231 |
 * | participantLabel | 1 to 128 characters, no "/" or control characters, not a call's sid | none | 16023 |
 * | jitterBufferSize | large, medium, small, off | large | 12200 |
 * | waitUrl | URL; empty = silence | music | 13233 |
 * | waitMethod | GET, POST | POST | 13234 |
 * | maxParticipants | 2 to 250 | 250 | 12200 |
 * | record | do-not-record, record-from-start (= true) | do-not-record | 12200 |
 * | trim | trim-silence, do-not-trim | trim-silence | 13239 |
 * | region | us1 us2 ie1 sg1 br1 au1 jp1 de1; has no effect | none | 12200 |
 * | coach | sid of a call in the room | none | 13240 |
 * | statusCallback | URL | none | – |
 * | statusCallbackMethod | GET, POST | POST | 12200 |
 * | statusCallbackEvent | start end join leave mute hold modify speaker announcement | none | 12200 |
 * | recordingStatusCallback, …Method, …Event | as of Record | none, POST, completed | 12200 |
 * | eventCallbackUrl, recordingConfigurationId | any; have no effect | none | – |
 * | (text) | name of the room, up to 128 characters, no control characters | – | 13237 |
 */
import type { WebhookMethod } from '../../../platform/http/http-method.js'
import { readWebUrl } from '../../../platform/http/web-url.js'
import { parseSid } from '../../../platform/ids.js'
import { isPlainText } from '../../../platform/text.js'
import { isConferenceName, MAX_CONFERENCE_NAME } from '../../model/conference-name.js'
import type { RecordingEvent } from '../../model/recording-wish.js'
import { type AttributeReader, readAttributes } from './attributes.js'
import { type EventCallback, readEventCallback, readRecordingCallback } from './callbacks.js'
import { TRIMS, type Trim } from './record.js'
import { collapse, textOf } from './text.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export type ConferenceEvent = (typeof EVENTS)[number]

/** A conference to enter; none without a `name`. */
export interface ConferenceNoun {
  readonly type: 'conference'
  readonly element: XmlElement
  readonly name: string | undefined
  readonly muted: boolean
  readonly beep: 'true' | 'false' | 'onEnter' | 'onExit'
  readonly startOnEnter: boolean
  readonly endOnExit: boolean
  readonly participantLabel: string | undefined
  readonly jitterBufferSize: 'large' | 'medium' | 'small' | 'off'
  /** The URL as written; undefined: the default music; empty: silence. */
  readonly waitUrl: string | undefined
  readonly waitMethod: WebhookMethod
  readonly maxParticipants: number
  readonly recordFromStart: boolean
  readonly trim: Trim
  /** The sid of the only call that hears this participant. */
  readonly coach: string | undefined
  readonly statusCallback: EventCallback<ConferenceEvent> | undefined
  readonly recordingStatusCallback: EventCallback<RecordingEvent> | undefined
}

const EVENTS = [
  ...(['start', 'end', 'join', 'leave', 'mute', 'hold'] as const),
  ...(['modify', 'speaker', 'announcement'] as const),
]
const REGIONS = ['us1', 'us2', 'ie1', 'sg1', 'br1', 'au1', 'jp1', 'de1']
const MAX_PARTICIPANTS = 250

export function parseConference(element: XmlElement, warn: Warn): ConferenceNoun {
  const read = readAttributes(element, warn)
  read.oneOf('region', REGIONS, { otherwise: '', code: 12200 })
  return {
    type: 'conference',
    element,
    name: nameOf(element, warn),
    ...parseEntry(read),
    waitUrl: read.custom('waitUrl', toWaitUrl, 'a web address', {
      otherwise: undefined,
      code: 13233,
    }),
    waitMethod: read.method('waitMethod', 13234),
    maxParticipants: read.integer(
      'maxParticipants',
      { min: 2, max: MAX_PARTICIPANTS },
      { otherwise: MAX_PARTICIPANTS, code: 12200 },
    ),
    recordFromStart: read.custom('record', toRecord, 'do-not-record or record-from-start', {
      otherwise: false,
      code: 12200,
    }),
    trim: read.oneOf('trim', TRIMS, { otherwise: 'trim-silence', code: 13239 }),
    statusCallback: readEventCallback(read, 'statusCallback', { known: EVENTS, usual: [] }),
    recordingStatusCallback: readRecordingCallback(read),
  }
}

/** Reads the attributes that apply only to this participant. */
function parseEntry(read: AttributeReader) {
  const BEEPS = ['true', 'false', 'onEnter', 'onExit'] as const
  const SIZES = ['large', 'medium', 'small', 'off'] as const
  return {
    muted: read.boolean('muted', { otherwise: false, code: 13230 }),
    beep: read.oneOf('beep', BEEPS, { otherwise: 'true', code: 13235 }),
    startOnEnter: read.boolean('startConferenceOnEnter', { otherwise: true, code: 13232 }),
    endOnExit: read.boolean('endConferenceOnExit', { otherwise: false, code: 13231 }),
    jitterBufferSize: read.oneOf('jitterBufferSize', SIZES, { otherwise: 'large', code: 12200 }),
    participantLabel: read.custom('participantLabel', toLabel, 'a label', {
      otherwise: undefined,
      code: 16023,
    }),
    coach: read.custom('coach', (value) => parseSid('CA', value), "a call's sid", {
      otherwise: undefined,
      code: 13240,
    }),
  }
}

function nameOf(element: XmlElement, warn: Warn): string | undefined {
  const name = collapse(textOf(element))
  if (isConferenceName(name)) return name
  warn(
    13237,
    `Conference: its name must have 1 to ${MAX_CONFERENCE_NAME} characters, none of them a control character`,
  )
  return undefined
}

function toLabel(value: string): string | undefined {
  const isLabel = /^[^/\p{Cc}]{1,128}$/u.test(value)
  return isLabel && parseSid('CA', value) === undefined ? value : undefined
}

function toRecord(value: string): boolean | undefined {
  if (value === 'do-not-record' || value === 'false') return false
  return value === 'record-from-start' || value === 'true' ? true : undefined
}

/** Reads a waitUrl. It may be relative, so it is checked against an arbitrary base. */
function toWaitUrl(value: string): string | undefined {
  const url = value.trim()
  if (url === '') return url
  // A URL object would encode or drop such characters.
  if (!isPlainText(url)) return undefined
  return readWebUrl(url, 'http://document.invalid/') === undefined ? undefined : url
}
