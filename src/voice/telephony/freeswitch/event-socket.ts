/**
 * Repairs of drachtio-modesl, applied to each inbound or outbound connection when it is created:
 *
 * - commands of one tick are flushed in one write without Nagle's algorithm: separate small writes
 *   cost 44 ms each, waiting for the peer's delayed acknowledgement;
 * - a command that could contain a second one closes the connection and is not sent;
 * - a stray `%` in a header is kept as `%` and does not throw in the socket's handler;
 * - a message keeps its text and finds a header on demand: the package copies all headers into a list
 *   and compares each with all others;
 * - an exception in a callback ends that callback, not the process;
 * - the connection does not reconnect: its owner does that.
 */
import type { Socket } from 'node:net'
import type { Logger } from '../../../platform/log.js'
import { frameCommand } from './command-builder.js'
import type { EslConnection, EslParser } from './drachtio-fsmrf.js'
import { type Headers, JsonHeaders, LineHeaders } from './event-headers.js'

/**
 * Maximum number of bytes waiting to be parsed. A channel's variables have about 15 kB; a much
 * longer message is not from FreeSWITCH.
 */
const MAX_PENDING_BYTES = 4 * 1024 * 1024

export function tameEventSocket(connection: EslConnection, log: Logger): void {
  connection._onConnectionGone = () => undefined
  connection.socket?.setNoDelay(true)
  connection.send = (command, headers) => {
    sendCommand(connection, command, headers ?? {}, log)
  }
  // An unhandled error event would end the process; the connection's end is reported separately.
  connection.on('error', (err: unknown) => {
    log.debug({ err }, 'event socket error')
  })
  if (connection.parser) tameParser(connection, connection.parser, log)
  else
    connection.on('esl::connect', () => {
      if (connection.parser) tameParser(connection, connection.parser, log)
    })
}

function sendCommand(
  connection: EslConnection,
  command: string,
  headers: Readonly<Record<string, unknown>>,
  log: Logger,
): void {
  const { socket } = connection
  if (!socket?.writable) return
  let frame: string
  try {
    frame = frameCommand(command, headers)
  } catch (err) {
    log.error({ err }, 'refused an unsafe command and closed its connection')
    socket.destroy()
    return
  }
  gatherWrites(socket)
  socket.write(frame)
}

/** Corks the socket until the end of this callback, so that everything is flushed in one write. */
export function gatherWrites(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => {
    socket.uncork()
  })
}

function tameParser(connection: EslConnection, made: EslParser, log: Logger): void {
  const { socket } = connection
  if (!socket) return
  const parser = made as EslParser<MessageHead> // as this very function has them read
  parser._parseHeaderText = (text) => new MessageHead(text)
  parser._indexOfHeaderEnd = () => parser.buffer.indexOf('\n\n')
  parser._parseEvent = (headers, body) => {
    parser.emit('esl::event', messageOf(headers, body), headers, body)
  }
  for (const listener of socket.listeners('data')) {
    socket.removeListener('data', listener as (chunk: Buffer) => void) // the parser's own
    socket.on('data', guarded(listener, parser, socket, log))
  }
}

/** The headers that drachtio-modesl reads itself, and the lines of all headers. */
class MessageHead {
  readonly lines: LineHeaders
  readonly 'Content-Type': unknown
  readonly 'Content-Length': unknown
  readonly 'Event-Name': unknown

  constructor(text: string) {
    this.lines = new LineHeaders(text)
    this['Content-Type'] = this.lines.get('Content-Type')
    this['Content-Length'] = this.lines.get('Content-Length')
    this['Event-Name'] = this.lines.get('Event-Name')
  }
}

/** Returns a message as an event: from its JSON body, else from its own headers. */
function messageOf({ lines, 'Content-Type': type }: MessageHead, body?: string): KeyedEvent {
  const inBody = type === 'text/event-json' ? JsonHeaders.of(body ?? '') : undefined
  if (inBody !== undefined) return new KeyedEvent(inBody)
  const message = new KeyedEvent(lines, body)
  const reply = lines.get('Reply-Text')
  // drachtio-modesl looks for the login reply under this name.
  if (typeof reply === 'string' && reply.startsWith('+OK'))
    message.addHeader('Modesl-Reply-OK', reply.slice(4))
  return message
}

/**
 * A FreeSWITCH message in the form that drachtio-modesl and drachtio-fsmrf expect. Their own class
 * copies headers into a list and compares each new one with all others. This one finds a header by
 * name in the received text.
 */
export class KeyedEvent {
  readonly #headers: Headers
  #body: string | undefined
  /** Headers added by `addHeader`. */
  #added: Record<string, unknown> | undefined
  /** The names that `nextHeader` has not returned yet. */
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

  /** Returns the value of a header; null when absent. */
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

  /** Returns the name of the first header; `nextHeader` continues after it. */
  firstHeader(): string | null {
    const names = new Set([...this.#headers.names(), ...Object.keys(this.#added ?? {})])
    names.delete('_body')
    this.#walk = [...names]
    return this.nextHeader()
  }

  /** Returns the name of the next header; null after the last one. */
  nextHeader(): string | null {
    const [next, ...rest] = this.#walk
    this.#walk = rest
    return next ?? null
  }
}

function guarded(
  // As `listeners()` types it.
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type
  listener: Function,
  parser: Pick<EslParser, 'buffer'>,
  socket: NonNullable<EslConnection['socket']>,
  log: Logger,
): (chunk: Buffer) => void {
  return function take(chunk) {
    try {
      listener.call(socket, chunk)
    } catch (err) {
      log.error({ err }, 'exception in the handler of a FreeSWITCH event')
      // The failed message has left the buffer; the bytes after it must still be parsed.
      setImmediate(take, Buffer.alloc(0))
      return
    }
    if (parser.buffer.length > MAX_PENDING_BYTES) {
      log.error('closed a connection: the message of FreeSWITCH is too long')
      socket.destroy()
    }
  }
}
