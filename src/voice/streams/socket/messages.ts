/** The convention's media stream messages, as JSON texts. Pure. */

/** A message to the customer's server; `sequenceNumber` and `streamSid` are added when it is sent. */
export type StreamMessage =
  | { readonly event: 'start'; readonly start: StartFacts }
  | { readonly event: 'media'; readonly media: MediaFacts }
  | { readonly event: 'dtmf'; readonly dtmf: { readonly track: 'inbound_track'; digit: string } }
  | { readonly event: 'mark'; readonly mark: { readonly name: string } }
  | { readonly event: 'stop'; readonly stop: { readonly accountSid: string; callSid: string } }

export interface StartFacts {
  readonly accountSid: string
  readonly streamSid: string
  readonly callSid: string
  readonly tracks: readonly ('inbound' | 'outbound')[]
  readonly mediaFormat: typeof MEDIA_FORMAT
  readonly customParameters: Readonly<Record<string, string>>
}

export interface MediaFacts {
  readonly track: 'inbound' | 'outbound'
  /** Number of the frame within its track, from 1. */
  readonly chunk: string
  /** Milliseconds since the start of the stream. */
  readonly timestamp: string
  /** 20 ms of µ-law as base64. */
  readonly payload: string
}

export const MEDIA_FORMAT = { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 } as const

export const CONNECTED = JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' })

/** The message as JSON. `sequence` numbers the messages after `connected`, from 1. */
export function messageText(message: StreamMessage, sequence: number, streamSid: string): string {
  return JSON.stringify({ ...message, sequenceNumber: String(sequence), streamSid })
}

/**
 * A message from the customer's server. `malformed`: not a JSON object. `invalid`: an unknown or wrong
 * message.
 */
export type CustomerMessage =
  | { readonly type: 'media'; readonly audio: Buffer }
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'clear' }
  | { readonly type: 'malformed'; readonly problem: string }
  | { readonly type: 'invalid'; readonly problem: string }

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const MAX_MARK_NAME = 1_024

export function readCustomerMessage(text: string, streamSid: string): CustomerMessage {
  const message = parseObject(text)
  if (message === undefined) return { type: 'malformed', problem: 'not a JSON object' }
  const { event, streamSid: named } = message
  if (named !== undefined && named !== streamSid)
    return { type: 'invalid', problem: 'streamSid is not the one of this stream' }
  switch (event) {
    case 'media':
      return readMedia(message['media'])
    case 'mark':
      return readMark(message['mark'])
    case 'clear':
      return { type: 'clear' }
    default:
      return { type: 'invalid', problem: 'event is not media, mark or clear' }
  }
}

function readMedia(media: unknown): CustomerMessage {
  const payload = isObject(media) ? media['payload'] : undefined
  if (typeof payload !== 'string' || !BASE64.test(payload))
    return { type: 'invalid', problem: 'media.payload is not base64' }
  return { type: 'media', audio: Buffer.from(payload, 'base64') }
}

function readMark(mark: unknown): CustomerMessage {
  const name = isObject(mark) ? mark['name'] : undefined
  if (typeof name !== 'string' || name.length > MAX_MARK_NAME)
    return { type: 'invalid', problem: 'mark.name is not a short text' }
  return { type: 'mark', name }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
