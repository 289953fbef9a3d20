/** Receives requests from the network and forwards each to a client, or to the dialog that it names. */
import { randomUUID } from 'node:crypto'
import { sequenceOf, tagOf } from '../sip/dialog/dialog.js'
import { ReliableProvisionals } from '../sip/dialog/reliable-provisionals.js'
import { MIN_SESSION_SECONDS, readSessionInterval } from '../sip/dialog/session-timer.js'
import { makeResponse } from '../sip/message/make-response.js'
import type { SipRequest, SipResponse } from '../sip/message/types.js'
import type { ServerTransaction, SipPeer, TransactionUser } from '../sip/model/stack-types.js'
import {
  type IncomingRequest,
  ownAddress,
  type ServerDialog,
  type ServerParts,
} from './call-table.js'
import type { Client } from './clients.js'
import { metaOf, sipEvent } from './wire.js'

/**
 * Time after which a request is answered without the application, when the application has sent no response,
 * ms.
 */
const SILENCE_MS = 64_000
const BYE_SILENCE_MS = 32_000

const OUTSIDE_METHODS: ReadonlySet<string> = new Set([
  'INVITE',
  'REGISTER',
  'MESSAGE',
  'OPTIONS',
  'INFO',
  'NOTIFY',
  'SUBSCRIBE',
  'PUBLISH',
  'REFER',
])

/** The methods that are valid only inside a dialog. */
const DIALOG_METHODS = ['BYE', 'PRACK', 'UPDATE']

export function transactionUser(parts: ServerParts): TransactionUser {
  return {
    onRequest: (transaction) => {
      if (tagOf(transaction.request, 'To') === '') receiveOutside(parts, transaction)
      else receiveInside(parts, transaction)
    },
    onAck: (ack, from) => {
      receiveAck(parts, ack, from)
    },
    onCancel: (transaction, cancel) => {
      receiveCancel(parts, transaction, cancel)
    },
  }
}

function receiveOutside(parts: ServerParts, transaction: ServerTransaction): void {
  const { request, from } = transaction
  const refusal = outsideRefusal(request)
  const client = refusal === undefined ? parts.clients.choose(request.method) : undefined
  if (client === undefined) {
    transaction.respond(refusal ?? makeResponse(503))
    return
  }
  const incoming = track(parts, { transaction, client, dialog: undefined })
  const destination = ownAddress(parts.stack, from)
  client.send(sipEvent(metaOf('network', request, from), incoming.id, '', destination))
}

function outsideRefusal(request: SipRequest): SipResponse | undefined {
  const { method } = request
  if (method === 'INVITE') return intervalRefusal(request)
  if (OUTSIDE_METHODS.has(method)) return undefined
  if (DIALOG_METHODS.includes(method)) return makeResponse(481)
  // RFC 3261 §8.2.1
  const allow = [...OUTSIDE_METHODS, 'ACK', 'CANCEL', ...DIALOG_METHODS].join(', ')
  return makeResponse(405, { headers: [{ name: 'Allow', value: allow }] })
}

/**
 * Returns the 422 for a session interval that is too short (RFC 4028 §6); undefined for an acceptable one.
 */
function intervalRefusal(request: SipRequest): SipResponse | undefined {
  const interval = readSessionInterval(request)
  if (interval === undefined || interval.seconds >= MIN_SESSION_SECONDS) return undefined
  const minimum = { name: 'Min-SE', value: String(MIN_SESSION_SECONDS) }
  return makeResponse(422, { headers: [minimum] })
}

function receiveInside(parts: ServerParts, transaction: ServerTransaction): void {
  const { request } = transaction
  const dialog = parts.calls.dialogOf(request)
  if (dialog === undefined) {
    transaction.respond(makeResponse(481))
    return
  }
  if (!dialog.dialog.accept(request)) {
    transaction.respond(makeResponse(500))
    return
  }
  const invite = parts.calls.incomingById(dialog.inviteTransactionId)
  if (request.method === 'PRACK' && invite !== undefined) {
    receivePrack(parts, transaction, dialog, invite)
  } else if (request.method === 'BYE') receiveBye(parts, transaction, dialog)
  else if (!dialog.client.isOpen) transaction.respond(makeResponse(481))
  else if (request.method === 'UPDATE' && invite !== undefined)
    receiveEarlyUpdate(parts, transaction, dialog, invite)
  else receiveMidCall(parts, transaction, dialog)
}

/**
 * Receives a PRACK. The server answers it, except when the application itself marked the response as
 * reliable.
 */
function receivePrack(
  parts: ServerParts,
  transaction: ServerTransaction,
  dialog: ServerDialog,
  invite: IncomingRequest,
): void {
  const { provisionals, unacknowledged } = invite
  if (provisionals?.acknowledge(transaction.request) !== true) {
    transaction.respond(makeResponse(481))
    return
  }
  if (!provisionals.isPending) invite.unacknowledged = undefined
  if (unacknowledged === 'marked') hand(parts, transaction, dialog)
  else transaction.respond(makeResponse(200))
}

function receiveBye(
  parts: ServerParts,
  transaction: ServerTransaction,
  dialog: ServerDialog,
): void {
  dialog.reinvite?.cancel()
  parts.calls.removeDialog(dialog)
  const invite = parts.calls.incomingById(dialog.inviteTransactionId)
  if (invite !== undefined) {
    giveUpEarly(parts, transaction, dialog, invite)
    return
  }
  if (dialog.client.isOpen) hand(parts, transaction, dialog)
  else transaction.respond(makeResponse(481))
}

/**
 * A BYE in an early dialog ends the INVITE with 487 (RFC 3261 §15.1.2). The application knows no dialog yet,
 * so it is notified as if the caller had sent CANCEL.
 */
function giveUpEarly(
  parts: ServerParts,
  transaction: ServerTransaction,
  dialog: ServerDialog,
  invite: IncomingRequest,
): void {
  transaction.respond(makeResponse(200))
  const headers = [{ name: 'To', value: dialog.dialog.identity.localParty }]
  invite.transaction.respond(makeResponse(487, { headers }))
  parts.calls.endIncoming(invite)
  const cancel = { ...invite.transaction.request, method: 'CANCEL', body: Buffer.alloc(0) }
  const meta = metaOf('network', cancel, transaction.from)
  invite.client.send(sipEvent(meta, invite.id, dialog.id))
}

function receiveMidCall(
  parts: ServerParts,
  transaction: ServerTransaction,
  dialog: ServerDialog,
): void {
  const { request } = transaction
  if (request.method === 'INVITE' || request.method === 'UPDATE') {
    const refusal = intervalRefusal(request)
    if (refusal !== undefined) {
      transaction.respond(refusal)
      return
    }
    dialog.dialog.refreshTarget(request, transaction.from)
  }
  hand(parts, transaction, dialog)
}

/** Receives an UPDATE before the INVITE is answered. The application identifies it by the INVITE's id. */
function receiveEarlyUpdate(
  parts: ServerParts,
  transaction: ServerTransaction,
  dialog: ServerDialog,
  invite: IncomingRequest,
): void {
  if (invite.update !== undefined) {
    // RFC 3311 §5.2: only one UPDATE at a time.
    transaction.respond(makeResponse(500, { headers: [{ name: 'Retry-After', value: '5' }] }))
    return
  }
  invite.update = transaction
  const meta = metaOf('network', transaction.request, transaction.from)
  parts.log.debug({ dialogId: dialog.id }, 'received an UPDATE in an early dialog')
  dialog.client.send(sipEvent(meta, invite.id, dialog.id))
}

function hand(parts: ServerParts, transaction: ServerTransaction, dialog: ServerDialog): void {
  const incoming = track(parts, { transaction, client: dialog.client, dialog })
  const meta = metaOf('network', transaction.request, transaction.from)
  dialog.client.send(sipEvent(meta, incoming.id, dialog.id))
}

function receiveAck(parts: ServerParts, ack: SipRequest, from: SipPeer): void {
  const dialog = parts.calls.dialogOf(ack)
  const sequence = sequenceOf(ack)
  const waiting = dialog?.unacknowledged.get(sequence)
  if (dialog === undefined || waiting === undefined) return
  dialog.unacknowledged.delete(sequence)
  waiting.transaction.ackReceived()
  // The real server leaves the transport empty in this event only.
  const meta = { ...metaOf('network', ack, from), protocol: '' }
  dialog.client.send(sipEvent(meta, waiting.transactionId, dialog.id))
}

/** Receives a CANCEL. The stack has answered the CANCEL; this function answers the INVITE. */
function receiveCancel(
  parts: ServerParts,
  transaction: ServerTransaction,
  cancel: SipRequest,
): void {
  const incoming = parts.calls.incomingById(transaction.id)
  if (incoming === undefined) return
  const { dialog } = incoming
  const to = dialog && { name: 'To', value: dialog.dialog.identity.localParty }
  transaction.respond(makeResponse(487, { headers: to === undefined ? [] : [to] }))
  parts.calls.endIncoming(incoming)
  if (dialog !== undefined) parts.calls.removeDialog(dialog)
  const meta = metaOf('network', cancel, transaction.from)
  incoming.client.send(sipEvent(meta, incoming.id, dialog?.id ?? ''))
}

function track(
  parts: ServerParts,
  request: {
    readonly transaction: ServerTransaction
    readonly client: Client
    readonly dialog: ServerDialog | undefined
  },
): IncomingRequest {
  const { transaction } = request
  const isInvite = transaction.request.method === 'INVITE'
  const incoming: IncomingRequest = {
    ...request,
    id: isInvite ? transaction.id : randomUUID(),
    provisionals: isInvite
      ? new ReliableProvisionals(transaction, (outcome) => {
          if (outcome === 'given-up') giveUpUnacknowledged(parts, incoming)
        })
      : undefined,
    unacknowledged: undefined,
    update: undefined,
    silence: setTimeout(
      () => {
        giveUp(parts, incoming, transaction.request.method === 'BYE' ? 200 : 408)
      },
      transaction.request.method === 'BYE' ? BYE_SILENCE_MS : SILENCE_MS,
    ),
  }
  // The stack's own limit for an INVITE without a final response.
  transaction.onTimeout = () => {
    giveUp(parts, incoming, 408)
  }
  parts.calls.addIncoming(incoming)
  return incoming
}

/**
 * Ends an INVITE whose PRACK never arrived. The real server crashes here if the application marked the
 * response as reliable.
 */
function giveUpUnacknowledged(parts: ServerParts, incoming: IncomingRequest): void {
  if (incoming.unacknowledged === 'marked')
    parts.log.error('invalid order: no PRACK came; drachtio dies of a provisional marked reliable')
  giveUp(parts, incoming, 503)
}

/** Answers the request in place of an application that did not respond. */
export function giveUp(parts: ServerParts, incoming: IncomingRequest, status: number): void {
  parts.calls.endIncoming(incoming)
  incoming.update?.respond(makeResponse(status))
  incoming.transaction.respond(makeResponse(status))
  const { dialog } = incoming
  if (dialog?.inviteTransactionId === incoming.id) parts.calls.removeDialog(dialog)
}
