export type EventFormat = 'plain' | 'json'

/** The headers of the body, which replace others of the same name. */
const OF_THE_BODY: ReadonlySet<string> = new Set(['Content-Length', '_body'])
/** Text that needs no escapes in JSON: printable ASCII without quote and backslash. */
const PLAIN_IN_JSON = /^[ !#-[\]-~]*$/

/** An event; its headers are in the order in which they are written. */
export interface SwitchEvent {
  readonly name: string
  /** The subclass of a CUSTOM event, such as `conference::maintenance`. */
  readonly subclass: string | undefined
  readonly headers: ReadonlyMap<string, string>
  readonly body: string | undefined
}

const UNSAFE: ReadonlySet<string> = new Set('\r\n #%&+:;<=>?@[\\]^`{|}"')
/** The percent-encoded form of each byte. */
const ESCAPED: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  const isPlain = byte >= 0x20 && byte <= 0x7e && !UNSAFE.has(character)
  return isPlain ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})
const ENCODED = /^%[0-9A-F]{2}/
const PLAIN = /^[!$'-*,-/0-9A-Z_a-z~]*$/

/** A fired event; each format is serialized once and shared by all clients. */
export class FiredEvent {
  readonly event: SwitchEvent
  readonly #frames = new Map<EventFormat, Buffer>()

  constructor(event: SwitchEvent) {
    this.event = event
  }

  as(format: EventFormat): Buffer {
    const known = this.#frames.get(format)
    if (known !== undefined) return known
    const frame = frameEvent(this.event, format)
    this.#frames.set(format, frame)
    return frame
  }
}

/** Frames an event: `Content-Length`, `Content-Type: text/event-…`, an empty line, the event. */
function frameEvent(event: SwitchEvent, format: EventFormat): Buffer {
  const text = format === 'json' ? eventAsJson(event) : eventAsText(event, { isEncoded: true })
  return Buffer.from(
    `Content-Length: ${Buffer.byteLength(text)}\nContent-Type: text/event-${format}\n\n${text}`,
  )
}

/**
 * Serializes an event as one flat JSON object of strings. Written by hand for speed: most of an event's cost
 * is here.
 */
export function eventAsJson({ headers, body }: SwitchEvent): string {
  let fields = ''
  for (const [name, value] of headers)
    if (body === undefined || !OF_THE_BODY.has(name)) fields += `${jsonPair(name, value)},`
  if (body !== undefined)
    fields += `${jsonPair('Content-Length', String(Buffer.byteLength(body)))},${jsonPair('_body', body)},`
  return `{${fields.slice(0, -1)}}`
}

function jsonPair(name: string, value: string): string {
  return `${jsonString(name)}:${jsonString(value)}`
}

function jsonString(text: string): string {
  return PLAIN_IN_JSON.test(text) ? `"${text}"` : JSON.stringify(text)
}

/** Writes an event as `Name: value` lines, an empty line and, when there is one, the body. */
export function eventAsText(event: SwitchEvent, options: { readonly isEncoded: boolean }): string {
  let text = ''
  for (const [name, value] of event.headers)
    text += `${name}: ${options.isEncoded ? urlEncode(value) : value}\n`
  if (event.body === undefined) return `${text}\n`
  return `${text}Content-Length: ${Buffer.byteLength(event.body)}\n\n${event.body}`
}

/**
 * Percent-encodes a header value as FreeSWITCH does. An existing `%41` is kept, so encoding twice changes
 * nothing.
 */
export function urlEncode(value: string): string {
  if (PLAIN.test(value)) return value
  const bytes = Buffer.from(value, 'utf8').toString('latin1')
  let encoded = ''
  for (let at = 0; at < bytes.length; at++) {
    const isEncoded = bytes[at] === '%' && ENCODED.test(bytes.slice(at, at + 3))
    encoded += isEncoded ? '%' : (ESCAPED[bytes.charCodeAt(at)] ?? '')
  }
  return encoded
}
