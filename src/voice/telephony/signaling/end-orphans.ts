/** Recovery: ends the dialogs and INVITEs that an earlier process left. */
import { withLimit } from '../../../platform/async/limit.js'
import { idle } from '../../../platform/async/sleep.js'
import type { Logger } from '../../../platform/log.js'
import type { DialogFacts, InviteFacts } from '../dialog-facts.js'
import { nextHopOf } from './dialog-facts-of.js'
import type { SignalingConnection } from './signaling-connection.js'

const LIMIT_MS = 3_000
/** Maximum time for a 200 that crossed our CANCEL to arrive, ms (RFC 3261 §9.1). */
const CROSSING_MS = 1_000
/**
 * How much higher the CSeq of recovery's BYE is. RFC 3261 §12.2.2 accepts any higher CSeq, and the number of
 * our requests since the INVITE is not stored.
 */
const SEQUENCE_STEP = 10_000

/**
 * Ends an INVITE without a final response. drachtio keeps its transaction, which any connection can use by
 * its id. Sends CANCEL for an INVITE of ours, and 503 to a peer's. When the INVITE was answered meanwhile,
 * ACK and BYE end the dialog. Resolves when nothing more can be done; rejects when the connection is lost.
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

/** Resolves to true when drachtio had the transaction and no final response had come. */
function cancel(
  { uri, transactionId }: InviteFacts,
  { srf }: SignalingConnection,
): Promise<boolean> {
  return taken((done) => {
    srf.request(uri, { method: 'CANCEL', headers: {}, stackTxnId: transactionId }, done)
  })
}

/** Resolves to true when drachtio had the transaction and no final response had been sent. */
function refuse({ transactionId }: InviteFacts, signaling: SignalingConnection): Promise<boolean> {
  return taken((done) => {
    const { agent, socket } = signaling.wire
    const msg = 'SIP/2.0 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n'
    agent.sendResponse({ socket, msg, req: { stackTxnId: transactionId } }, {}, done)
  })
}

/** Resolves to true when drachtio had a dialog of the INVITE, which has now been ended. */
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
      // drachtio replaces it with the peer's Contact.
      'sip:placeholder',
      { method: 'BYE', headers: {}, stackDialogId: dialogId },
      done,
    )
  })
}

/**
 * Resolves to true when drachtio accepted the command; to false when it refused or did not answer in time.
 */
async function taken(send: (done: (err: unknown) => void) => void): Promise<boolean> {
  const isTaken = new Promise<boolean>((resolve) => {
    send((err) => {
      resolve(err === undefined || err === null)
    })
  })
  return await withLimit(isTaken, LIMIT_MS, () => false)
}

/**
 * Sends BYE in a dialog that an earlier process left. One message serves both cases: a drachtio server that
 * still has the dialog finds it by the Call-ID; a restarted one sends the message's own headers. Resolves
 * when answered or after the time limit; rejects when drachtio did not accept the command.
 */
export async function byeOrphanedDialog(
  dialog: DialogFacts,
  signaling: SignalingConnection,
  log: Logger,
): Promise<void> {
  const proxy = nextHopOf(dialog)
  const answered = new Promise<number>((resolve, reject) => {
    signaling.srf.request(
      dialog.target,
      {
        method: 'BYE',
        headers: {
          'Call-ID': dialog.callId,
          From: dialog.localParty,
          To: dialog.remoteParty,
          CSeq: `${String(dialog.sequence + SEQUENCE_STEP)} BYE`,
        },
        ...(proxy !== undefined && { proxy }),
      },
      (err, request) => {
        if (err || !request) {
          reject(err ?? new Error('the BYE was not sent'))
          return
        }
        request.on('response', (response: { readonly status: number }) => {
          resolve(response.status)
        })
      },
    )
  })
  const status = await withLimit<number | undefined>(answered, LIMIT_MS, () => undefined)
  log.info({ callId: dialog.callId, status }, 'sent BYE on an orphaned dialog')
}
