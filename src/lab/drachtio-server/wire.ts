/** Writes messages for the control clients, in the line format recorded from the real server. */
import { randomUUID } from 'node:crypto'
import type { SipMessage } from '../sip/message/types.js'
import { messageText } from '../sip/message/write-message.js'
import type { SipPeer } from '../sip/model/stack-types.js'
import { inOrder } from './header-names.js'

/** The line before each SIP message: the source of the message, its size and its time. */
export interface MessageMeta {
  readonly source: 'network' | 'application'
  readonly text: string
  /** The transport; empty where the real server leaves it empty. */
  readonly protocol: string
  readonly address: string
  readonly port: number
  /** The size in bytes of a message that was never on the wire; otherwise the size is counted. */
  readonly bytes?: number
}

export function metaOf(
  source: MessageMeta['source'],
  message: SipMessage,
  peer: SipPeer,
): MessageMeta {
  return {
    source,
    text: messageText(message),
    protocol: peer.transport,
    address: peer.address,
    port: peer.port,
  }
}

/** Describes a sent message, with its headers in the real server's order. */
export function sentMetaOf(message: SipMessage, peer: SipPeer): MessageMeta {
  return metaOf('application', { ...message, headers: inOrder(message.headers) }, peer)
}

/**
 * Writes a request or response for the application; pass `destination` only for requests outside a dialog.
 */
export function sipEvent(
  meta: MessageMeta,
  transactionId: string,
  dialogId: string,
  destination?: SipPeer,
): string {
  const to = destination === undefined ? '' : `${destination.address}|${destination.port}|`
  return `${randomUUID()}|sip|${formatMeta(meta)}|${transactionId}|${dialogId}|${to}\r\n${meta.text}`
}

export function requestSent(messageId: string, meta: MessageMeta, transactionId: string): string {
  return ok(messageId, `${formatMeta(meta)}|${transactionId}|Msg sent:|\r\n${meta.text}`)
}

export function responseSent(
  messageId: string,
  meta: MessageMeta,
  transactionId: string,
  dialogId: string,
): string {
  return ok(
    messageId,
    `${formatMeta(meta)}|${transactionId}|${dialogId}||Msg sent:|\r\n${meta.text}`,
  )
}

export function ok(messageId: string, rest?: string): string {
  const end = rest === undefined ? '' : `|${rest}`
  return `${randomUUID()}|response|${messageId}|OK${end}`
}

/** Writes the response to a command whose SIP message could not be sent. */
export function notSent(messageId: string, reason: string): string {
  return `${randomUUID()}|response|${messageId}|NOK|${reason}`
}

/** Writes the response to a command that is unknown or not allowed; the caller then closes the connection. */
export function refused(messageId: string, reason: string): string {
  return `${randomUUID()}|response|${messageId}|NO|${reason}`
}

function formatMeta(meta: MessageMeta): string {
  const bytes = meta.bytes ?? Buffer.byteLength(meta.text)
  return `${meta.source}|${bytes}|${meta.protocol}|${meta.address}|${meta.port}|${clockTime()}`
}

/** The local time as `HH:MM:SS.microseconds`. */
function clockTime(): string {
  const now = performance.timeOrigin + performance.now()
  const date = new Date(now)
  const two = (value: number): string => String(value).padStart(2, '0')
  const micros = String(Math.floor((now % 1000) * 1000)).padStart(6, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${micros}`
}
