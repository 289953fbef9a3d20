/** The attributes that many verbs and nouns share: where to report to, and how. */

import type { WebhookMethod } from '../../../platform/http/http-method.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { RecordingEvent } from '../../model/recording-wish.js'
import type { AttributeReader } from './attributes.js'

/** A URL as written, perhaps relative to the document, and how to ask it. */
export interface Callback {
  readonly url: string
  readonly method: WebhookMethod
}

/** A callback that only hears of the events it names. */
export interface EventCallback<Event extends string> extends Callback {
  readonly events: readonly Event[]
}

const RECORDING_EVENTS: readonly RecordingEvent[] = ['in-progress', 'completed', 'absent']
/** The warning for a wrong value that has no documented number of its own. */
const SCHEMA_WARNING = 12200

/** `<name>` and `<name>Method`; undefined without a URL. */
export function readCallback(
  read: AttributeReader,
  name: string,
  code: ErrorNumber = SCHEMA_WARNING,
): Callback | undefined {
  const method = read.method(`${name}Method`, code)
  const url = read.text(name)?.trim() ?? ''
  return url === '' ? undefined : { url, method }
}

/** `<name>`, `<name>Method` and `<name>Event`, whose words are separated by spaces. */
export function readEventCallback<Event extends string>(
  read: AttributeReader,
  name: string,
  events: { readonly known: readonly Event[]; readonly usual: readonly Event[] },
  code: ErrorNumber = SCHEMA_WARNING,
): EventCallback<Event> | undefined {
  const chosen = read.words(`${name}Event`, events.known, { otherwise: events.usual, code })
  const callback = readCallback(read, name)
  return callback === undefined ? undefined : { ...callback, events: chosen }
}

/** `recordingStatusCallback`, `…Method` and `…Event`; only `completed` is told when nothing is said. */
export function readRecordingCallback(
  read: AttributeReader,
  code: ErrorNumber = SCHEMA_WARNING,
): EventCallback<RecordingEvent> | undefined {
  const events = { known: RECORDING_EVENTS, usual: ['completed'] as const }
  return readEventCallback(read, 'recordingStatusCallback', events, code)
}
