import { type Head, readHead } from './head.js'
import { DEFAULT_MESSAGE_LIMITS, type Flaw, type MessageLimits } from './limits.js'
import type { SipMessage } from './types.js'

/**
 * The way in which the end of a message is known: by the datagram's end, or only by its
 * Content-Length.
 */
export type Framing = 'datagram' | 'stream'

/**
 * The result of reading bytes. A flawed message is as complete as it could be read, so that a
 * flawed request can be answered with the flaw's status. Without `isFramed` the next message of a
 * stream cannot be found, and its connection must be closed.
 */
export type Reading =
  | {
      readonly type: 'message'
      readonly message: SipMessage
      /** Number of bytes consumed, including empty lines before the start line. */
      readonly length: number
      readonly flaw: Flaw | undefined
      readonly isFramed: boolean
    }
  | { readonly type: 'unreadable'; readonly why: string }
  /** More bytes must arrive on the stream; never returned for a datagram. */
  | { readonly type: 'incomplete' }

const HEAD_END = Buffer.from('\r\n\r\n')
const EMPTY = Buffer.alloc(0)
const TOO_LARGE: Flaw = { status: 513, reason: 'Message Too Large' }

/** Reads the one message that starts the bytes. Never throws, whatever they are. */
export function readMessage(
  bytes: Buffer,
  framing: Framing,
  limits: MessageLimits = DEFAULT_MESSAGE_LIMITS,
): Reading {
  const start = skipEmptyLines(bytes, 0, bytes.length)
  const found = bytes.indexOf(HEAD_END, start)
  const span = { start, headEnd: found === -1 ? undefined : found, end: bytes.length }
  const opening = openMessage(bytes, span, framing, limits)
  if (opening.type !== 'opened') return opening
  return closeMessage(opening, bytes, framing, bytes.length)
}

/** Skips empty lines before the start line (RFC 3261 §7.5). */
export function skipEmptyLines(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at + 1 < end && bytes[at] === 0x0d && bytes[at + 1] === 0x0a) at += 2
  return at
}

/** The part of a buffer that holds the message; `headEnd` is its empty line, if that has come. */
export interface Span {
  readonly start: number
  readonly headEnd: number | undefined
  readonly end: number
}

/** A message whose head is parsed; the body may still be incomplete. */
export interface Opening {
  readonly type: 'opened'
  readonly head: Head
  readonly flaw: Flaw | undefined
  readonly isFramed: boolean
  readonly bodyStart: number
  /** The position of the body's end; undefined when only the datagram's end determines it. */
  readonly bodyEnd: number | undefined
}

export function openMessage(
  bytes: Buffer,
  span: Span,
  framing: Framing,
  limits: MessageLimits,
): Opening | Exclude<Reading, { type: 'message' }> {
  const length = (span.headEnd ?? span.end) - span.start
  const isTooLong = length > limits.headerBytes
  if (span.headEnd === undefined && !isTooLong && framing === 'stream')
    return { type: 'incomplete' }
  const text = bytes.toString('utf8', span.start, span.start + Math.min(length, limits.headerBytes))
  const head = readHead(isTooLong ? withoutLastLine(text) : text, limits)
  if (head === undefined) return { type: 'unreadable', why: 'no SIP start line' }
  return measure(head, span, framing, isTooLong ? 0 : limits.messageBytes)
}

function measure(head: Head, span: Span, framing: Framing, maxBytes: number): Opening {
  const isEnded = span.headEnd !== undefined
  const bodyStart = span.headEnd === undefined ? span.end : span.headEnd + HEAD_END.length
  const bodyEnd = typeof head.bodyLength === 'number' ? bodyStart + head.bodyLength : undefined
  const isTooLarge = (bodyEnd ?? bodyStart) - span.start > maxBytes
  // RFC 3261 §21.5.14
  const flaw = isTooLarge ? TOO_LARGE : findFlaw(head, isEnded, framing)
  // A flawed head also makes the length doubtful: another parser may compute a different one.
  const isFramed = bodyEnd !== undefined && !isTooLarge && !isDoubtful(head.flaw)
  return { type: 'opened', head, flaw, isFramed, bodyStart, bodyEnd }
}

function findFlaw(head: Head, isEnded: boolean, framing: Framing): Flaw | undefined {
  if (head.flaw !== undefined) return head.flaw
  if (!isEnded) return { status: 400, reason: 'Missing Empty Line' }
  // RFC 3261 §18.3: a stream requires Content-Length.
  if (head.bodyLength === 'absent' && framing === 'stream')
    return { status: 400, reason: 'Missing Content-Length' }
  return undefined
}

function isDoubtful(flaw: Flaw | undefined): boolean {
  return flaw !== undefined && flaw.status !== 505
}

/** Takes the body; the message of a stream that has not brought it yet is incomplete. */
export function closeMessage(
  opening: Opening,
  bytes: Buffer,
  framing: Framing,
  end: number,
): Reading {
  const { head, bodyStart, isFramed } = opening
  const bodyEnd = framing === 'stream' && !isFramed ? bodyStart : (opening.bodyEnd ?? end)
  let { flaw } = opening
  if (bodyEnd > end) {
    if (framing === 'stream') return { type: 'incomplete' }
    // RFC 3261 §18.3: a datagram that ends before its body does is a client's error.
    flaw ??= { status: 400, reason: 'Body Shorter Than Content-Length' }
  }
  const length = Math.min(bodyEnd, end)
  // Copied: the bytes given belong to a transport that may reuse them.
  const body = length > bodyStart ? Buffer.from(bytes.subarray(bodyStart, length)) : EMPTY
  const message: SipMessage = { ...head.startLine, headers: head.headers, body }
  return { type: 'message', message, length, flaw, isFramed }
}

function withoutLastLine(text: string): string {
  const end = text.lastIndexOf('\r\n')
  return end === -1 ? text : text.slice(0, end)
}
