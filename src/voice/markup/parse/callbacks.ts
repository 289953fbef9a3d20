/** The attributes of callbacks, which many verbs and nouns share. */

import type { WebhookMethod } from '../../../platform/http/http-method.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { RecordingEvent } from '../../model/recording-wish.js'
import type { AttributeReader } from './attributes.js'

/** A callback's URL and method. The URL is as written, and may be relative to the document. */
export interface Callback {
  readonly url: string
  readonly method: WebhookMethod
}

/** A callback that reports only the events it names. */
export interface EventCallback<Event extends string> extends Callback {
  readonly events: readonly Event[]
}

const RECORDING_EVENTS: readonly RecordingEvent[] = ['in-progress', 'completed', 'absent']
/** The warning for a wrong value that has no documented number. */
const SCHEMA_WARNING = 12200

/** Reads `<name>` and `<name>Method`; undefined without a URL. */
export function readCallback(
  read: AttributeReader,
  name: string,
  code: ErrorNumber = SCHEMA_WARNING,
): Callback | undefined {
  const method = read.method(`${name}Method`, code)
  const url = read.text(name)?.trim() ?? ''
  return url === '' ? undefined : { url, method }
}

/** Reads `<name>`, `<name>Method` and `<name>Event`, whose words are separated by spaces. */
export function readEventCallback<Event extends string>(
  read: AttributeReader,
  name: string,
  events: { readonly known: readonly Event[]; readonly usual: readonly Event[] },
  code: ErrorNumber = SCHEMA_WARNING,
): EventCallback<Event> | undefined {
  const chosen = read.words(`${name}Event`, events.known, { otherwise: events.usual, code })
  const callback = readCallback(read, name, code)
  return callback === undefined ? undefined : { ...callback, events: chosen }
}

/** Reads `recordingStatusCallback`, `…Method` and `…Event`. The default event is `completed`. */
export function readRecordingCallback(
  read: AttributeReader,
  code: ErrorNumber = SCHEMA_WARNING,
): EventCallback<RecordingEvent> | undefined {
  const events = { known: RECORDING_EVENTS, usual: ['completed'] as const }
  return readEventCallback(read, 'recordingStatusCallback', events, code)
}
