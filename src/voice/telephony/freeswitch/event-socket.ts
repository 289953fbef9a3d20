/**
 * Repairs of drachtio-modesl, made on each connection when it is made, inbound or outbound:
 *
 * - a command leaves in one write and without Nagle's algorithm: its several small writes cost 44 ms
 *   each time, waiting for the other side's delayed acknowledgement;
 * - a command that could carry a second one ends the connection instead of leaving;
 * - a stray `%` in a header is a `%`, not an exception in the socket's handler;
 * - an event keeps the object that it was parsed to, in place of a list of its headers;
 * - an exception in a callback ends that callback, not the process;
 * - it does not reconnect by itself: the link that owns the connection does.
 */
import type { Logger } from '../../../platform/log.js'
import { frameCommand } from './command-builder.js'
import type { EslConnection, EslParser } from './drachtio-fsmrf.js'
import { KeyedEvent } from './keyed-event.js'

/**
 * The most bytes that may wait for parsing. A channel's variables take 15 kB; a much longer message
 * is not FreeSWITCH's.
 */
const MAX_PENDING_BYTES = 4 * 1024 * 1024

export function tameEventSocket(connection: EslConnection, log: Logger): void {
  connection._onConnectionGone = () => undefined
  connection.socket?.setNoDelay(true)
  connection.send = (command, headers) => {
    sendCommand(connection, command, headers ?? {}, log)
  }
  // An error event without a listener would end the process; the connection's end follows.
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
  socket.write(frame)
}

function tameParser(connection: EslConnection, parser: EslParser, log: Logger): void {
  const { socket } = connection
  if (!socket) return
  parser._parseHeaderText = parseHeaderLines
  parser._indexOfHeaderEnd = () => parser.buffer.indexOf('\n\n')
  const parseOther = parser._parseEvent.bind(parser)
  parser._parseEvent = (headers, body) => {
    const event = eventOf(headers, body)
    if (event === undefined) parseOther(headers, body)
    else parser.emit('esl::event', event, headers, body)
  }
  for (const listener of socket.listeners('data')) {
    socket.removeListener('data', listener as (chunk: Buffer) => void) // the parser's own
    socket.on('data', guarded(listener, parser, socket, log))
  }
}

/** Makes the event of a message in JSON; undefined for any other message, and for wrong JSON. */
function eventOf(
  headers: Readonly<Record<string, string | number>>,
  body: string | undefined,
): KeyedEvent | undefined {
  if (headers['Content-Type'] !== 'text/event-json' || body === undefined) return undefined
  const fields = objectIn(body)
  if (fields === undefined) return undefined
  const length = fields['Content-Length']
  if (typeof length === 'string') fields['Content-Length'] = Number.parseInt(length, 10)
  return new KeyedEvent(fields)
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    // An object of JSON has fields by name.
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch (err) {
    if (err instanceof SyntaxError) return undefined
    throw err
  }
}

function guarded(
  // As `listeners()` types it.
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type
  listener: Function,
  parser: EslParser,
  socket: NonNullable<EslConnection['socket']>,
  log: Logger,
): (chunk: Buffer) => void {
  return function take(chunk) {
    try {
      listener.call(socket, chunk)
    } catch (err) {
      log.error({ err }, 'exception in the handler of a FreeSWITCH event')
      // The message has left the buffer; the bytes behind it still wait there.
      setImmediate(take, Buffer.alloc(0))
      return
    }
    if (parser.buffer.length > MAX_PENDING_BYTES) {
      log.error('closed a connection: the message of FreeSWITCH is too long')
      socket.destroy()
    }
  }
}

/** Parses `Name: value` lines. Most values are URL-encoded. */
export function parseHeaderLines(text: string): Record<string, string | number> {
  const headers: Record<string, string | number> = {}
  for (const line of text.split('\n')) {
    const colon = line.indexOf(': ')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : decodeLoosely(line.slice(colon + 2))
    headers[name] = name === 'Content-Length' ? Number.parseInt(value, 10) : value
  }
  return headers
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (err) {
    if (err instanceof URIError) return text
    throw err
  }
}
