import { urlEncode } from './url-encode.js'

export type EventFormat = 'plain' | 'json'

/** One event; headers in the order in which they are written. */
export interface SwitchEvent {
  readonly name: string
  /** Of a CUSTOM event: `conference::maintenance`. */
  readonly subclass: string | undefined
  readonly headers: ReadonlyMap<string, string>
  readonly body: string | undefined
}

/** `Content-Length`, `Content-Type: text/event-…`, an empty line, the event. */
export function frameEvent(event: SwitchEvent, format: EventFormat): string {
  const text = format === 'json' ? eventAsJson(event) : eventAsText(event, { isEncoded: true })
  return `Content-Length: ${Buffer.byteLength(text)}\nContent-Type: text/event-${format}\n\n${text}`
}

export function eventAsJson(event: SwitchEvent): string {
  const fields: Record<string, string> = Object.fromEntries(event.headers)
  if (event.body !== undefined) {
    fields['Content-Length'] = String(Buffer.byteLength(event.body))
    fields['_body'] = event.body
  }
  return JSON.stringify(fields)
}

/** `Name: value` lines, an empty line and, when there is one, the body. */
export function eventAsText(event: SwitchEvent, options: { readonly isEncoded: boolean }): string {
  let text = ''
  for (const [name, value] of event.headers)
    text += `${name}: ${options.isEncoded ? urlEncode(value) : value}\n`
  if (event.body === undefined) return `${text}\n`
  return `${text}Content-Length: ${Buffer.byteLength(event.body)}\n\n${event.body}`
}
