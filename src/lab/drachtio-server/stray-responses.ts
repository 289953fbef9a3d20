/** 2xx to an INVITE that come after its transaction: repeated, or from another branch of a fork. */
import { dialogOfClient, sequenceOf, tagOf } from '../sip/dialog/dialog.js'
import { getHeader } from '../sip/message/headers.js'
import type { SipRequest, SipResponse } from '../sip/message/types.js'
import type { SipPeer } from '../sip/model/stack-types.js'
import type { ServerDialog, ServerParts } from './call-table.js'
import { ignoringResponses } from './dialog-life.js'

export function onStrayResponse(parts: ServerParts, response: SipResponse, from: SipPeer): void {
  const known = parts.calls.dialogOf(response, 'From')
  const work =
    known?.dialog.identity.remoteTag === tagOf(response, 'To')
      ? acknowledgeAgain(parts, known, sequenceOf(response))
      : hangUp(parts, response, from)
  work.catch((err: unknown) => {
    parts.log.warn({ err }, 'a stray 200 could not be acknowledged')
  })
}

async function acknowledgeAgain(
  parts: ServerParts,
  { dialog, invite }: ServerDialog,
  sequence: number,
): Promise<void> {
  // Not acknowledged yet: the application is still thinking.
  if (invite?.ack === undefined || invite.sequence !== sequence) return
  await parts.stack.sendAck(invite.ack, dialog.destination)
}

/** Somebody answered whom nobody waits for any more (RFC 3261 §13.2.2.4): ACK, then BYE. */
async function hangUp(parts: ServerParts, response: SipResponse, from: SipPeer): Promise<void> {
  const dialog = dialogOfClient(inviteBehind(response), response, from)
  await parts.stack.sendAck(dialog.ack(sequenceOf(response)), dialog.destination)
  await parts.stack.send(dialog.request('BYE'), ignoringResponses(), dialog.destination)
}

function inviteBehind(response: SipResponse): SipRequest {
  return {
    kind: 'request',
    method: 'INVITE',
    uri: getHeader(response, 'To') ?? '',
    headers: response.headers,
    body: Buffer.alloc(0),
  }
}
