/**
 * Recovery of an INVITE that an earlier process left without a final response. drachtio keeps such a
 * transaction and lets any connection use it by its name.
 */
import { withLimit } from '../../../platform/async/limit.js'
import { idle } from '../../../platform/async/sleep.js'
import type { Logger } from '../../../platform/log.js'
import type { InviteFacts } from '../dialog-facts.js'
import type { SignalingConnection } from './signaling-connection.js'

const LIMIT_MS = 3_000
/** The time in which a 200 that crossed our CANCEL arrives (RFC 3261 §9.1). */
const CROSSING_MS = 1_000

/**
 * Sends CANCEL for an INVITE of ours, and 503 to a peer's. When the INVITE was answered meanwhile, ACK
 * and BYE end the dialog. Resolves when nothing more can be done; rejects when the connection is lost.
 */
export async function endOrphanedInvite(
  invite: InviteFacts,
  signaling: SignalingConnection,
  log: Logger,
): Promise<void> {
  const { callId, sender } = invite
  const isOurs = sender === 'us'
  const wasOpen = isOurs ? await cancel(invite, signaling) : await refuse(invite, signaling)
  if (wasOpen && isOurs) await idle(CROSSING_MS)
  const wasAnswered = wasOpen && !isOurs ? false : await hangUp(invite, signaling)
  log.info({ callId, sender, wasOpen, wasAnswered }, 'ended an orphaned INVITE')
}

/** True when drachtio had the transaction, and no final response had come. */
function cancel(
  { uri, transactionId }: InviteFacts,
  { srf }: SignalingConnection,
): Promise<boolean> {
  return taken((done) => {
    srf.request(uri, { method: 'CANCEL', headers: {}, stackTxnId: transactionId }, done)
  })
}

/** True when drachtio had the transaction, and no final response had been sent. */
function refuse({ transactionId }: InviteFacts, signaling: SignalingConnection): Promise<boolean> {
  return taken((done) => {
    const { agent, socket } = signaling.wire
    const msg = 'SIP/2.0 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'
    agent.sendResponse({ socket, msg, req: { stackTxnId: transactionId } }, {}, done)
  })
}

/** True when drachtio had a dialog of the INVITE, which is ended now. */
async function hangUp(
  { sender, uri, dialogId }: InviteFacts,
  signaling: SignalingConnection,
): Promise<boolean> {
  if (sender === 'us')
    await taken((done) => {
      const { agent, socket } = signaling.wire
      agent.sendAck('ACK', dialogId, { uri }, { socket }, {}, done)
    })
  return await taken((done) => {
    signaling.srf.request(
      // drachtio puts the peer's Contact in its place.
      'sip:placeholder',
      { method: 'BYE', headers: {}, stackDialogId: dialogId },
      done,
    )
  })
}

/** True when the server took the command; false when it refused, or did not answer in time. */
async function taken(send: (done: (err: unknown) => void) => void): Promise<boolean> {
  const isTaken = new Promise<boolean>((resolve) => {
    send((err) => {
      resolve(err === undefined || err === null)
    })
  })
  return await withLimit(isTaken, LIMIT_MS, () => false)
}
