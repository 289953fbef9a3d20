type Fields = Record<string, unknown>

/**
 * A message of FreeSWITCH, for drachtio-modesl and drachtio-fsmrf. Their own class copies the headers
 * into a list and compares each new one with all the others. This one finds a header by its name in
 * the object that was parsed.
 */
export class KeyedEvent {
  readonly type: unknown
  readonly subclass: unknown
  body: string
  readonly #fields: Fields
  /** The names that `nextHeader` has still to walk over. */
  #walk: readonly string[] = []

  constructor(fields: Fields, body?: string) {
    this.type = fields['Event-Name']
    this.subclass = fields['Event-Subclass']
    const own = fields['_body']
    this.body = body !== undefined && body !== '' ? body : typeof own === 'string' ? own : ''
    this.#fields = fields
  }

  /** The value of a header; null when there is none. */
  getHeader(name: string): unknown {
    return name !== '_body' && Object.hasOwn(this.#fields, name) ? this.#fields[name] : null
  }

  addHeader<Value>(name: string, value: Value): Value {
    this.#fields[name] = value
    return value
  }

  getBody(): string {
    return this.body
  }

  addBody(text: string): string {
    this.body += text
    return this.body
  }

  getType(): unknown {
    return this.type
  }

  /** The name of the first header; `nextHeader` goes on behind it. */
  firstHeader(): string | null {
    this.#walk = Object.keys(this.#fields).filter((name) => name !== '_body')
    return this.nextHeader()
  }

  /** The name of the next header; null behind the last one. */
  nextHeader(): string | null {
    const [next, ...rest] = this.#walk
    this.#walk = rest
    return next ?? null
  }
}
