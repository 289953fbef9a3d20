/** One command: its line, its headers and, with a Content-Length, its body. */
export interface Command {
  readonly line: string
  /** The headers by lower-case name; of two with the same name, the first counts. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string | undefined
}

/** Thrown for a command or body above the limits; the stream cannot be read further. */
export class CommandTooLargeError extends Error {
  override readonly name = 'CommandTooLargeError'
}

export interface CommandLimits {
  readonly headBytes: number
  readonly bodyBytes: number
}

const DEFAULT_LIMITS: CommandLimits = { headBytes: 65_536, bodyBytes: 262_144 }
const LF = 0x0a
const CR = 0x0d

/**
 * Splits a byte stream into commands. A command may arrive in pieces, and several may arrive at once. Empty
 * lines between commands are ignored; lines end with LF or CRLF.
 */
export class CommandReader {
  readonly #limits: CommandLimits
  #buffer: Buffer = Buffer.alloc(0)

  constructor(limits: Partial<CommandLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits }
  }

  /** Returns the commands that these bytes complete. Throws CommandTooLargeError. */
  push(bytes: Buffer): Command[] {
    this.#buffer = this.#buffer.length === 0 ? bytes : Buffer.concat([this.#buffer, bytes])
    const commands: Command[] = []
    for (let command = this.#next(); command !== undefined; command = this.#next())
      commands.push(command)
    return commands
  }

  #next(): Command | undefined {
    this.#buffer = this.#buffer.subarray(countLineEnds(this.#buffer))
    const headEnd = endOfHead(this.#buffer)
    if (headEnd === undefined || headEnd > this.#limits.headBytes) {
      if (this.#buffer.length > this.#limits.headBytes)
        throw new CommandTooLargeError(`a command of more than ${this.#limits.headBytes} bytes`)
      return undefined
    }
    const { line, headers } = parseHead(this.#buffer.toString('utf8', 0, headEnd))
    const bodyLength = this.#bodyLength(headers)
    if (this.#buffer.length < headEnd + bodyLength) return undefined
    const body =
      bodyLength === 0 ? undefined : this.#buffer.toString('utf8', headEnd, headEnd + bodyLength)
    this.#buffer = this.#buffer.subarray(headEnd + bodyLength)
    return { line, headers, body }
  }

  #bodyLength(headers: ReadonlyMap<string, string>): number {
    const length = Number.parseInt(headers.get('content-length') ?? '0', 10)
    if (Number.isNaN(length) || length < 0) return 0
    if (length > this.#limits.bodyBytes)
      throw new CommandTooLargeError(`a body of ${length} bytes was announced`)
    return length
  }
}

function countLineEnds(buffer: Buffer): number {
  let at = 0
  while (at < buffer.length && (buffer[at] === LF || buffer[at] === CR)) at++
  return at
}

/** Returns the position behind the empty line that ends the head; undefined if it has not arrived. */
function endOfHead(buffer: Buffer): number | undefined {
  let at = buffer.indexOf(LF)
  while (at !== -1) {
    const next = buffer[at + 1] === CR ? at + 2 : at + 1
    if (buffer[next] === LF) return next + 1
    at = buffer.indexOf(LF, at + 1)
  }
  return undefined
}

function parseHead(head: string): { line: string; headers: Map<string, string> } {
  const [line = '', ...rest] = head.split(/\r?\n/)
  const headers = new Map<string, string>()
  for (const headerLine of rest) {
    const colon = headerLine.indexOf(':')
    if (colon <= 0) continue
    const name = headerLine.slice(0, colon).toLowerCase()
    if (!headers.has(name)) headers.set(name, headerLine.slice(colon + 1).replace(/^ +/, ''))
  }
  return { line, headers }
}
