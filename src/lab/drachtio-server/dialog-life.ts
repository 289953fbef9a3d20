/** Opens a dialog, refreshes its session and terminates it. */
import { type Dialog, sequenceOf } from '../sip/dialog/dialog.js'
import { afterGlareMs } from '../sip/dialog/glare.js'
import {
  MIN_SESSION_SECONDS,
  readSessionInterval,
  SessionTimer,
} from '../sip/dialog/session-timer.js'
import type { SipHeader, SipRequest, SipResponse } from '../sip/message/types.js'
import type { ClientTransactionEvents } from '../sip/model/stack-types.js'
import { ownAddress, type ServerDialog, type ServerParts } from './call-table.js'
import type { Client } from './clients.js'
import { sentMetaOf, sipEvent } from './wire.js'

export interface DialogStart {
  readonly id: string
  readonly client: Client
  readonly inviteTransactionId: string
  readonly dialog: Dialog
  readonly localContact: string
}

export function openDialog(parts: ServerParts, start: DialogStart): ServerDialog {
  const opened: ServerDialog = {
    ...start,
    timer: new SessionTimer({
      onRefresh: () => {
        refresh(parts, opened)
      },
      onExpired: () => {
        terminate(parts, opened, 'Session timer expired')
      },
    }),
    localDescription: undefined,
    unacknowledged: new Map(),
    invite: undefined,
    reinvite: undefined,
    isCancelled: false,
  }
  parts.calls.addDialog(opened)
  return opened
}

/** Ends the dialog with a BYE and notifies the application as if the BYE had been received. */
export function terminate(parts: ServerParts, dialog: ServerDialog, reason: string): void {
  parts.calls.removeDialog(dialog)
  const bye = dialog.dialog.request('BYE', [
    { name: 'Reason', value: `SIP ;cause=200 ;text="${reason}"` },
  ])
  parts.stack.send(bye, ignoringResponses(), dialog.dialog.destination).then(
    ({ request, to }) => {
      const meta = sentMetaOf(request, ownAddress(parts.stack, to))
      dialog.client.send(sipEvent(meta, 'unsolicited', dialog.id))
    },
    (err: unknown) => {
      parts.log.warn({ dialogId: dialog.id, err }, 'could not send a BYE')
    },
  )
}

/** Arms the session timer from a 2xx to our INVITE (RFC 4028 §7.2). */
export function armFromResponse(dialog: ServerDialog, response: SipResponse): void {
  const interval = readSessionInterval(response)
  if (interval !== undefined) dialog.timer.arm(interval.seconds, interval.refresher !== 'uas')
}

/**
 * Arms the session timer from a re-INVITE or UPDATE that we answered with 2xx; only a successful one is a
 * refresh (RFC 4028 §3).
 */
export function armFromRequest(dialog: ServerDialog, request: SipRequest): void {
  const interval = readSessionInterval(request)
  const wereWeRefresher = dialog.timer.armed?.areWeRefresher ?? false
  if (interval === undefined) {
    dialog.timer.clear()
    return
  }
  const areWe = interval.refresher === undefined ? wereWeRefresher : interval.refresher === 'uas'
  dialog.timer.arm(interval.seconds, areWe)
}

/** Sends the ACK of a 2xx and stores it: the ACK is sent again for each retransmission of the 2xx. */
export async function acknowledge(
  parts: ServerParts,
  dialog: ServerDialog,
  sequence: number,
  headers: readonly SipHeader[] = [],
  body: Buffer = Buffer.alloc(0),
): Promise<SipRequest> {
  const { dialog: inner } = dialog
  const ack = await parts.stack.sendAck(inner.ack(sequence, headers, body), inner.destination)
  dialog.invite = { sequence, ack }
  return ack
}

function refresh(parts: ServerParts, dialog: ServerDialog): void {
  const seconds = dialog.timer.armed?.seconds ?? MIN_SESSION_SECONDS
  const { localDescription } = dialog
  const headers = [
    { name: 'Contact', value: dialog.localContact },
    { name: 'Session-Expires', value: `${seconds};refresher=uac` },
    { name: 'Min-SE', value: String(MIN_SESSION_SECONDS) },
    ...(localDescription === undefined
      ? []
      : [{ name: 'Content-Type', value: localDescription.contentType }]),
  ]
  const request = dialog.dialog.request('INVITE', headers, localDescription?.body)
  const events: ClientTransactionEvents = {
    onResponse: (response, from) => {
      if (response.status < 200) return
      if (response.status < 300) {
        dialog.dialog.refreshTarget(response, from)
        armFromResponse(dialog, response)
        acknowledge(parts, dialog, sequenceOf(request)).catch((err: unknown) => {
          parts.log.warn({ dialogId: dialog.id, err }, 'could not send an ACK')
        })
      } else if (response.status === 491)
        dialog.timer.refreshAgain(afterGlareMs(dialog.dialog.identity.callIdOf, Math.random))
      else terminate(parts, dialog, 'Session timer expired')
    },
    onFailure: () => {
      terminate(parts, dialog, 'Session timer expired')
    },
  }
  parts.stack.send(request, events, dialog.dialog.destination).catch((err: unknown) => {
    parts.log.warn({ dialogId: dialog.id, err }, 'could not refresh a session')
    terminate(parts, dialog, 'Session timer expired')
  })
}

export function ignoringResponses(): ClientTransactionEvents {
  return { onResponse: () => undefined, onFailure: () => undefined }
}
