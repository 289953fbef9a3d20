/**
 * Handles further 2xx to an INVITE of ours: the first one again, or that of another branch of a
 * fork.
 */
import { dialogOfClient, sequenceOf, tagOf } from '../sip/dialog/dialog.js'
import type { SipResponse } from '../sip/message/types.js'
import type { SipPeer } from '../sip/model/stack-types.js'
import type { OutgoingRequest, ServerDialog, ServerParts } from './call-table.js'
import { ignoringResponses } from './dialog-life.js'

/** The number of further branches that are answered; no proxy forks to more. */
const MAX_OTHER_BRANCHES = 10

/**
 * Handles a 2xx that came while the stack still knows the INVITE, after the application was told of
 * one.
 */
export function onRepeatedAnswer(
  parts: ServerParts,
  outgoing: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
): void {
  const { dialog } = outgoing
  const isOfDialog = dialog?.dialog.identity.remoteTag === tagOf(response, 'To')
  const work = isOfDialog
    ? acknowledgeAgain(parts, dialog, sequenceOf(response))
    : hangUp(parts, outgoing, response, from)
  work.catch((err: unknown) => {
    parts.log.warn({ err }, 'could not acknowledge a repeated 200')
  })
}

async function acknowledgeAgain(
  parts: ServerParts,
  { dialog, invite }: ServerDialog,
  sequence: number,
): Promise<void> {
  // The application has not acknowledged the first 2xx yet.
  if (invite?.ack === undefined || invite.sequence !== sequence) return
  await parts.stack.sendAck(invite.ack, dialog.destination)
}

/**
 * Hangs up a branch that nobody waits for: each of its 2xx gets an ACK, the branch one BYE (RFC
 * 3261 §13.2.2.4).
 */
async function hangUp(
  parts: ServerParts,
  { request, otherBranches }: OutgoingRequest,
  response: SipResponse,
  from: SipPeer,
): Promise<void> {
  const tag = tagOf(response, 'To')
  const known = otherBranches.get(tag)
  if (known === undefined && otherBranches.size >= MAX_OTHER_BRANCHES) return
  const dialog = known ?? dialogOfClient(request, response, from)
  otherBranches.set(tag, dialog)
  await parts.stack.sendAck(dialog.ack(sequenceOf(response)), dialog.destination)
  if (known === undefined)
    await parts.stack.send(dialog.request('BYE'), ignoringResponses(), dialog.destination)
}
