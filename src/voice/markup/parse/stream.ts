/**
 * Stream, inside Connect, Start and Stop: sends the call's audio to a WebSocket.
 *
 * | attribute | values | default | wrong |
 * |---|---|---|---|
 * | url | wss://…, ws://… where that is allowed; use Parameters instead of a query | – | 31922 scheme, 31923 |
 * | name | up to 256 characters, unique in the call | the stream's own sid | 12200 |
 * | track | inbound_track, outbound_track, both_tracks | inbound_track | 31941 |
 * | statusCallback | URL | none | – |
 * | statusCallbackMethod | GET, POST | POST | 12200 |
 * | connectorName | any; has no effect | none | – |
 * | audioFormat, sampleRate | any; has no effect: µ-law of 8 kHz | – | – |
 * | (children) | Parameter: name and value together up to 500 characters | none | 12200 |
 */
import { type AttributeReader, readAttributes } from './attributes.js'
import { type Callback, readCallback } from './callbacks.js'
import { type Parameter, parseParameters } from './parameters.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

export type StreamTrack = 'inbound_track' | 'outbound_track' | 'both_tracks'

/** A Stream to start. Without a `url` it cannot connect; a warning has been given. */
export interface StreamNoun {
  readonly type: 'stream'
  readonly element: XmlElement
  /** An absolute URL with `ws:` or `wss:`. A setting decides whether plain `ws:` is allowed. */
  readonly url: string | undefined
  readonly name: string | undefined
  /** The track as written. A Connect sends only the caller's (31941 for another track). */
  readonly track: StreamTrack
  readonly statusCallback: Callback | undefined
  readonly parameters: readonly Parameter[]
}

/** A Stream inside Stop: ends the stream of that name. */
export interface StoppedStream {
  readonly type: 'stream'
  readonly element: XmlElement
  readonly name: string | undefined
}

const TRACKS: readonly StreamTrack[] = ['inbound_track', 'outbound_track', 'both_tracks']
const MAX_NAME = 256

export function parseStream(element: XmlElement, warn: Warn): StreamNoun {
  const read = readAttributes(element, warn)
  return {
    type: 'stream',
    element,
    url: urlOf(read, warn),
    name: nameOf(read),
    track: read.oneOf('track', TRACKS, { otherwise: 'inbound_track', code: 31941 }),
    statusCallback: readCallback(read, 'statusCallback'),
    parameters: parseParameters(element, warn),
  }
}

export function parseStoppedStream(element: XmlElement, warn: Warn): StoppedStream {
  const name = nameOf(readAttributes(element, warn))
  if (name === undefined) warn(12200, 'Stop: a Stream is stopped by its name')
  return { type: 'stream', element, name }
}

function nameOf(read: AttributeReader): string | undefined {
  return read.custom('name', toName, `of 1 to ${MAX_NAME} characters`, {
    otherwise: undefined,
    code: 12200,
  })
}

function toName(value: string): string | undefined {
  const name = value.trim()
  return name === '' || name.length > MAX_NAME ? undefined : name
}

function urlOf(read: AttributeReader, warn: Warn): string | undefined {
  const written = read.text('url')?.trim() ?? ''
  if (!URL.canParse(written)) {
    warn(31923, `Stream: url="${written}" is not a web address`)
    return undefined
  }
  const { protocol } = new URL(written)
  if (protocol === 'wss:' || protocol === 'ws:') return written
  warn(31922, `Stream: url="${written}" is not a websocket's address`)
  return undefined
}
