/** Sends an application's responses to requests from the network. */

import { parseNameAddr } from '../../platform/sip-grammar/name-addr.js'
import { dialogOfServer, sequenceOf } from '../sip/dialog/dialog.js'
import {
  formatSessionInterval,
  MIN_SESSION_SECONDS,
  readSessionInterval,
  requires,
  type SessionInterval,
  supports,
} from '../sip/dialog/session-timer.js'
import { getHeaders, getListValues } from '../sip/message/headers.js'
import { makeResponse } from '../sip/message/make-response.js'
import type { SipHeader, SipResponse } from '../sip/message/types.js'
import type { ServerTransaction } from '../sip/model/stack-types.js'
import { contactOf } from '../sip/user-agent/user-agent.js'
import {
  dialogIdOf,
  type IncomingRequest,
  ownAddress,
  type ServerDialog,
  type ServerParts,
} from './call-table.js'
import { CommandRefused, type Composed, compose, hasHeader, valueOf } from './compose.js'
import { armFromRequest, openDialog, terminate } from './dialog-life.js'
import type { Command } from './outside-requests.js'
import { responseSent, sentMetaOf } from './wire.js'

const UNKNOWN = 'Response not sent due to unknown transaction'

interface Answer {
  readonly status: number
  readonly reason: string
  readonly composed: Composed
}

export function sendResponse(parts: ServerParts, command: Command, transactionId: string): void {
  const incoming = parts.calls.incomingById(transactionId)
  if (incoming === undefined) throw new CommandRefused(UNKNOWN)
  const answer = readAnswer(parts, command, incoming)
  clearTimeout(incoming.silence)
  const isUpdate = (answer.composed.dialogHeaders.get('CSeq') ?? '').endsWith('UPDATE')
  if (isUpdate && incoming.update !== undefined) answerUpdate(command, incoming, answer)
  else if (incoming.provisionals !== undefined && !isInside(incoming))
    answerInvite(parts, command, incoming, answer)
  else answerInside(parts, command, incoming, answer)
}

function readAnswer(parts: ServerParts, command: Command, incoming: IncomingRequest): Answer {
  const [, status, reason] = /^SIP\/2\.0 ([1-6]\d\d) ?(.*)$/.exec(command.sip.startLine) ?? []
  if (status === undefined)
    throw new CommandRefused(`invalid status line: ${command.sip.startLine}`)
  const own = ownAddress(parts.stack, incoming.transaction.from)
  return { status: Number(status), reason: reason ?? '', composed: compose(command.sip, own) }
}

/**
 * Answers any request except an initial INVITE. The echo leaves out the transport, and usually the dialog.
 */
function answerInside(
  parts: ServerParts,
  command: Command,
  incoming: IncomingRequest,
  answer: Answer,
): void {
  const { transaction, dialog } = incoming
  const isInvite = transaction.request.method === 'INVITE'
  const headers = [...answer.composed.headers]
  const wantsContact = isInvite || transaction.request.method === 'SUBSCRIBE'
  if (wantsContact && !hasHeader(headers, 'Contact'))
    headers.push({ name: 'Contact', value: contactFor(parts, incoming) })
  const sent = respond(transaction, answer, headers)
  if (answer.status >= 200) parts.calls.endIncoming(incoming)
  const isAccepted = answer.status >= 200 && answer.status < 300
  if (isAccepted && dialog !== undefined) changeSession(parts, dialog, incoming, answer)
  const isAlive = dialog !== undefined && parts.calls.dialogById(dialog.id) === dialog
  echo(command, incoming, sent, isAlive ? dialog.id : '')
}

/** Applies an accepted re-INVITE or UPDATE to the dialog; other requests change nothing. */
function changeSession(
  parts: ServerParts,
  dialog: ServerDialog,
  incoming: IncomingRequest,
  { composed }: Answer,
): void {
  const { request } = incoming.transaction
  if (request.method !== 'INVITE' && request.method !== 'UPDATE') return
  armFromRequest(dialog, request)
  if (request.method === 'UPDATE') return
  awaitAck(parts, dialog, incoming)
  rememberDescription(dialog, composed)
}

function answerUpdate(command: Command, incoming: IncomingRequest, answer: Answer): void {
  const { update } = incoming
  if (update === undefined) throw new CommandRefused(UNKNOWN)
  const sent = respond(update, answer, answer.composed.headers)
  if (answer.status >= 200) incoming.update = undefined
  echo(command, { ...incoming, transaction: update }, sent, incoming.dialog?.id ?? '')
}

function answerInvite(
  parts: ServerParts,
  command: Command,
  incoming: IncomingRequest,
  answer: Answer,
): void {
  const { transaction } = incoming
  const { status, composed } = answer
  if (status === 100) {
    echo(command, incoming, respond(transaction, answer, composed.headers), '')
    return
  }
  refuseFatalOrder(parts, incoming, status)
  const dialog = (incoming.dialog ??= beginDialog(parts, incoming, composed))
  const headers = inviteHeaders(incoming, dialog, answer)
  if (status < 200 && (isReliable(answer) || requires(transaction.request, '100rel'))) {
    const sent = sendReliably(incoming, answer, headers)
    echo(command, incoming, sent, dialog.id)
    return
  }
  const sent = respond(transaction, answer, headers)
  if (status >= 200) parts.calls.endIncoming(incoming)
  if (status >= 300) parts.calls.removeDialog(dialog)
  else if (status >= 200) {
    awaitAck(parts, dialog, incoming)
    rememberDescription(dialog, composed)
    const interval = sessionInterval(incoming, answer)
    if (interval !== undefined) dialog.timer.arm(interval.seconds, interval.refresher === 'uas')
  }
  echo(command, incoming, sent, dialog.id)
}

function beginDialog(
  parts: ServerParts,
  incoming: IncomingRequest,
  composed: Composed,
): ServerDialog {
  const { transaction, client } = incoming
  // An application may choose our tag by writing one into the To of its response.
  const chosen = parseNameAddr(composed.dialogHeaders.get('To') ?? '')?.params['tag']
  return openDialog(parts, {
    id: dialogIdOf(transaction.request),
    client,
    inviteTransactionId: incoming.id,
    dialog: dialogOfServer(transaction.request, transaction.from, chosen ?? transaction.toTag),
    localContact: valueOf(composed.headers, 'Contact') ?? contactFor(parts, incoming),
  })
}

function inviteHeaders(
  incoming: IncomingRequest,
  dialog: ServerDialog,
  answer: Answer,
): SipHeader[] {
  const { headers } = answer.composed
  const { request } = incoming.transaction
  const isAccepted = answer.status >= 200 && answer.status < 300
  const wantsContact = (isAccepted || isReliable(answer)) && !hasHeader(headers, 'Contact')
  const interval = isAccepted ? sessionInterval(incoming, answer) : undefined
  const isOurInterval = interval !== undefined && !hasHeader(headers, 'Session-Expires')
  // RFC 3261 §12.1.1: the route set is what a dialog-forming response carries.
  const routes = answer.status < 300 ? getHeaders(request, 'Record-Route') : []
  return [
    ...routes.map((value) => ({ name: 'Record-Route', value })),
    { name: 'To', value: dialog.dialog.identity.localParty },
    ...(wantsContact ? [{ name: 'Contact', value: dialog.localContact }] : []),
    ...headers,
    ...(isOurInterval ? [{ name: 'Session-Expires', value: formatSessionInterval(interval) }] : []),
    ...(isOurInterval && supports(request, 'timer') && !hasHeader(headers, 'Require')
      ? [{ name: 'Require', value: 'timer' }]
      : []),
  ]
}

/**
 * Returns the session interval of a response: the application's, or else the caller's. If the caller does not
 * say who refreshes, there is no session timer: RFC 4028 §9 allows that choice, and the real server makes it.
 */
function sessionInterval(incoming: IncomingRequest, answer: Answer): SessionInterval | undefined {
  const own = makeResponse(answer.status, { headers: answer.composed.headers })
  const asked = readSessionInterval(incoming.transaction.request)
  const interval = readSessionInterval(own) ?? (asked?.refresher === undefined ? undefined : asked)
  if (interval === undefined) return undefined
  const seconds = Math.max(interval.seconds, MIN_SESSION_SECONDS)
  return { seconds, refresher: interval.refresher ?? 'uac' }
}

function isReliable({ status, composed }: Answer): boolean {
  const required = valueOf(composed.headers, 'Require') ?? ''
  return status > 100 && status < 200 && required.includes('100rel')
}

function sendReliably(
  incoming: IncomingRequest,
  answer: Answer,
  headers: readonly SipHeader[],
): SipResponse | undefined {
  if (!supports(incoming.transaction.request, '100rel'))
    throw new CommandRefused('Remote endpoint does not support 100rel')
  const { reason, composed } = answer
  const own = composed.body.length === 0 ? 'own' : 'described'
  incoming.unacknowledged = isReliable(answer) ? 'marked' : own
  return incoming.provisionals?.send(
    makeResponse(answer.status, { reason, headers, body: composed.body }),
  )
}

/**
 * Refuses a final response before the PRACK when the real server would not survive it: it crashes after a
 * response that the application marked as reliable, and sends a 2xx from freed memory after one with an SDP.
 */
function refuseFatalOrder(parts: ServerParts, { unacknowledged }: IncomingRequest, status: number) {
  if (status < 200 || unacknowledged === undefined || unacknowledged === 'own') return
  if (unacknowledged === 'described' && status >= 300) return
  const reason = 'invalid order: a final answer before the PRACK'
  parts.log.error({ status, unacknowledged }, reason)
  throw new CommandRefused(reason)
}

function respond(
  transaction: ServerTransaction,
  { status, reason, composed }: Answer,
  headers: readonly SipHeader[],
): SipResponse | undefined {
  return transaction.respond(makeResponse(status, { reason, headers, body: composed.body }))
}

function awaitAck(parts: ServerParts, dialog: ServerDialog, incoming: IncomingRequest): void {
  const { transaction, id } = incoming
  const waiting = { transaction, transactionId: id }
  dialog.unacknowledged.set(sequenceOf(transaction.request), waiting)
  transaction.onTimeout = () => {
    terminate(parts, dialog, 'ACK timeout')
  }
}

function rememberDescription(dialog: ServerDialog, composed: Composed): void {
  const contentType = valueOf(composed.headers, 'Content-Type')
  if (contentType !== undefined) dialog.localDescription = { contentType, body: composed.body }
}

function contactFor(parts: ServerParts, incoming: IncomingRequest): string {
  const { from, request } = incoming.transaction
  // RFC 3261 §12.1.1: the response to a SIPS request has a SIPS Contact.
  const [nearest] = getListValues(request, 'Record-Route')
  const isSips = [request.uri, nearest ?? ''].some((uri) => /^<?sips:/i.test(uri))
  return contactOf(parts.stack, from, undefined, isSips)
}

/** True when the request arrived inside a dialog that existed before it. */
function isInside({ dialog, id }: IncomingRequest): boolean {
  return dialog !== undefined && dialog.inviteTransactionId !== id
}

function echo(
  command: Command,
  incoming: IncomingRequest,
  sent: SipResponse | undefined,
  dialogId: string,
): void {
  if (sent === undefined) throw new CommandRefused(UNKNOWN)
  const { transaction } = incoming
  const meta = sentMetaOf(sent, transaction.from)
  const isInvite = transaction.request.method === 'INVITE'
  command.client.send(
    responseSent(
      command.messageId,
      isInvite ? meta : { ...meta, protocol: '' },
      incoming.id,
      dialogId,
    ),
  )
}
