/**
 * Recording, inside Start: records the call in the background.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | channels | mono, dual | dual | 12200 |
 * | track | both, inbound, outbound | both | 12200 |
 * | trim | trim-silence, do-not-trim | do-not-trim | 12200 |
 * | recordingStatusCallback | URL | none | – |
 * | recordingStatusCallbackMethod | GET, POST | POST | 12200 |
 * | recordingStatusCallbackEvent | in-progress, completed, absent | completed | 12200 |
 * | recordingConfigurationId | any; has no effect | none | – |
 */
import type { RecordingEvent } from '../../model/recording-wish.js'
import { readAttributes } from './attributes.js'
import { type EventCallback, readRecordingCallback } from './callbacks.js'
import { RECORDED_TRACKS, type RecordedTrack, TRIMS, type Trim } from './record.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** A background recording that runs until the call ends. */
export interface RecordingNoun {
  readonly type: 'recording'
  readonly element: XmlElement
  readonly channels: 'mono' | 'dual'
  readonly track: RecordedTrack
  readonly trim: Trim
  readonly statusCallback: EventCallback<RecordingEvent> | undefined
}

export function parseRecording(element: XmlElement, warn: Warn): RecordingNoun {
  const read = readAttributes(element, warn)
  return {
    type: 'recording',
    element,
    channels: read.oneOf('channels', ['mono', 'dual'], { otherwise: 'dual', code: 12200 }),
    track: read.oneOf('track', RECORDED_TRACKS, { otherwise: 'both', code: 12200 }),
    trim: read.oneOf('trim', TRIMS, { otherwise: 'do-not-trim', code: 12200 }),
    statusCallback: readRecordingCallback(read),
  }
}
