/** Handles responses to an application's INVITE, and the dialog that they begin. */
import { dialogOfClient, sequenceOf, tagOf } from '../sip/dialog/dialog.js'
import { getHeader } from '../sip/message/headers.js'
import type { SipResponse } from '../sip/message/types.js'
import type { SipPeer } from '../sip/model/stack-types.js'
import type { OutgoingRequest, ServerParts } from './call-table.js'
import { armFromResponse, openDialog } from './dialog-life.js'
import type { Launch } from './launch.js'

export function inviteHandlers(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  contact: string,
): Pick<Launch, 'onResponse' | 'onOver'> {
  return {
    onResponse: (response, from) => {
      if (response.status < 200) return onProvisional(parts, outgoing, response, from, contact)
      if (response.status < 300) {
        onAccepted(parts, outgoing, response, from, contact)
        return true
      }
      if (outgoing.dialog !== undefined) parts.calls.removeDialog(outgoing.dialog)
      return true
    },
    onOver: () => undefined,
  }
}

/** Takes a provisional response. False for a reliable one that came before (RFC 3262 §4). */
function onProvisional(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
  contact: string,
): boolean {
  const rseq = Number(getHeader(response, 'RSeq') ?? 0)
  if (rseq === 0) return true
  if (rseq <= outgoing.lastRSeq) return false
  outgoing.lastRSeq = rseq
  // PRACK is a request inside the dialog that this response begins.
  if (outgoing.dialog === undefined && tagOf(response, 'To') !== '')
    begin(parts, outgoing, response, from, contact)
  return true
}

function onAccepted(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
  contact: string,
): void {
  const known = outgoing.dialog
  if (known === undefined) begin(parts, outgoing, response, from, contact)
  else if (known.dialog.identity.remoteTag === tagOf(response, 'To'))
    known.dialog.refreshTarget(response, from)
  else parts.calls.replaceDialog(known, dialogOfClient(outgoing.request, response, from))
  const { dialog } = outgoing
  if (dialog === undefined) return
  dialog.invite = { sequence: sequenceOf(outgoing.request) }
  dialog.isCancelled = outgoing.isCancelled
  armFromResponse(dialog, response)
}

function begin(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
  contact: string,
): void {
  const { request } = outgoing
  outgoing.dialog = openDialog(parts, {
    id: outgoing.dialogId,
    client: outgoing.client,
    inviteTransactionId: outgoing.id,
    dialog: dialogOfClient(request, response, from),
    localContact: getHeader(request, 'Contact') ?? contact,
  })
  const contentType = getHeader(request, 'Content-Type')
  if (contentType !== undefined)
    outgoing.dialog.localDescription = { contentType, body: request.body }
}
