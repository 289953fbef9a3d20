import type { Headers } from './event-headers.js'

/**
 * A message of FreeSWITCH, for drachtio-modesl and drachtio-fsmrf. Their own class copies the headers
 * into a list and compares each new one with all the others. This one finds a header by its name in
 * what was received.
 */
export class KeyedEvent {
  readonly #headers: Headers
  #body: string | undefined
  /** Headers that were added here. */
  #added: Record<string, unknown> | undefined
  /** The names that `nextHeader` has still to walk over. */
  #walk: readonly string[] = []

  constructor(headers: Headers, body?: string) {
    this.#headers = headers
    this.#body = body === '' ? undefined : body
  }

  get type(): unknown {
    return this.getHeader('Event-Name')
  }

  get subclass(): unknown {
    return this.getHeader('Event-Subclass')
  }

  /** The value of a header; null when there is none. */
  getHeader(name: string): unknown {
    if (name === '_body') return null
    const added = this.#added
    if (added !== undefined && Object.hasOwn(added, name)) return added[name]
    return this.#headers.get(name) ?? null
  }

  addHeader<Value>(name: string, value: Value): Value {
    this.#added ??= {}
    this.#added[name] = value
    return value
  }

  get body(): string {
    if (this.#body === undefined) {
      const own = this.#headers.get('_body')
      this.#body = typeof own === 'string' ? own : ''
    }
    return this.#body
  }

  getBody(): string {
    return this.body
  }

  addBody(text: string): string {
    this.#body = this.body + text
    return this.#body
  }

  getType(): unknown {
    return this.type
  }

  /** The name of the first header; `nextHeader` goes on behind it. */
  firstHeader(): string | null {
    const names = new Set([...this.#headers.names(), ...Object.keys(this.#added ?? {})])
    names.delete('_body')
    this.#walk = [...names]
    return this.nextHeader()
  }

  /** The name of the next header; null behind the last one. */
  nextHeader(): string | null {
    const [next, ...rest] = this.#walk
    this.#walk = rest
    return next ?? null
  }
}
