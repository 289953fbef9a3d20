import type { Readable } from 'node:stream'

/** The shortest part of a response by which an interim one is known: `HTTP/1.1 100`. */
const STATUS_BYTES = 12
/** Every 1xx but 101, by which the connection would change its protocol. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/
const END_OF_HEADERS = '\r\n\r\n'

/**
 * Takes interim responses off a connection before its HTTP client reads them: they may come before any
 * response, asked for or not (RFC 9110 §15.2), and undici ends the connection at a `100 Continue`.
 * It has to be made before the client listens to the connection.
 */
export class InterimResponses {
  readonly #connection: Readable
  readonly #maxBytes: number
  #held: Buffer = Buffer.alloc(0)
  #isExpected = false
  #hasAnswer = false

  /** A response whose headers exceed `maxBytes` is left to the client. */
  constructor(connection: Readable, maxBytes: number) {
    this.#connection = connection
    this.#maxBytes = maxBytes
    connection.on('readable', () => {
      if (this.#isExpected) this.#skip()
    })
  }

  /** True once a byte came after the last request; an interim response counts. */
  get hasAnswer(): boolean {
    return this.#hasAnswer
  }

  /** A request is about to be sent: the next bytes are the beginning of a response. */
  expect(): void {
    this.#isExpected = true
    this.#hasAnswer = false
  }

  #skip(): void {
    // A stream without an encoding yields Buffers.
    const received = this.#connection.read() as Buffer | null
    if (received === null) return
    this.#hasAnswer = true
    let rest: Buffer = Buffer.concat([this.#held, received])
    while (isInterim(rest)) {
      const end = rest.indexOf(END_OF_HEADERS)
      if (end < 0 || end > this.#maxBytes) break
      rest = rest.subarray(end + END_OF_HEADERS.length)
    }
    const isUndecided = rest.length <= this.#maxBytes && (isInterim(rest) || isShort(rest))
    this.#held = isUndecided ? rest : Buffer.alloc(0)
    if (isUndecided) return
    this.#isExpected = false
    this.#connection.unshift(rest)
  }
}

function isInterim(bytes: Buffer): boolean {
  return INTERIM.test(bytes.toString('latin1', 0, STATUS_BYTES))
}

/** True when what came may yet be the beginning of an interim response. */
function isShort(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, STATUS_BYTES)
  return text.length < STATUS_BYTES && 'HTTP/'.startsWith(text.slice(0, 5))
}
