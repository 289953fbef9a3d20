import type { Dialog } from 'drachtio-srf'
import { withLimit } from '../../../platform/async/limit.js'
import type { Logger } from '../../../platform/log.js'
import type { SignalingConnection } from './signaling-connection.js'

/**
 * Sends BYE unless one was already exchanged. Resolves when answered or after the time limit; never rejects.
 * Resolves to false when the BYE could not be sent: the peer still has the dialog.
 */
export async function endDialog(
  signaling: SignalingConnection,
  dialog: Dialog,
  limitMs: number,
  log: Logger,
): Promise<boolean> {
  if (!dialog.connected) return true
  refuseOffers(dialog)
  let isSent = true
  try {
    await withLimit(dialog.destroy({}), limitMs, () => undefined)
  } catch (err) {
    log.debug({ err }, 'could not send a BYE')
    isSent = false
  }
  forgetDialog(signaling, dialog)
  return isSent && signaling.isOpen
}

/** Answers 481 to an offer that crosses our BYE: the session ends with the BYE (RFC 3261 §15.1.1). */
function refuseOffers(dialog: Dialog): void {
  const handle = dialog.handle.bind(dialog)
  dialog.handle = (req, res) => {
    if (req.method === 'INVITE' || req.method === 'UPDATE') res.send(481)
    else handle(req, res)
  }
}

/** Forgets the dialog: later requests in it get 481. */
export function forgetDialog(signaling: SignalingConnection, dialog: Dialog): void {
  signaling.srf.removeDialog(dialog)
  dialog.removeAllListeners()
}
