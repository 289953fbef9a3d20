import type { Dialog } from 'drachtio-srf'
import { withLimit } from '../../../platform/async/limit.js'
import type { Logger } from '../../../platform/log.js'
import type { SignalingConnection } from './signaling-connection.js'

/**
 * Sends BYE unless one was exchanged already; resolves when answered or given up. Never rejects. False
 * when the BYE could not be sent: the peer still has the dialog.
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
    log.debug({ err }, 'BYE not sent')
    isSent = false
  }
  forgetDialog(signaling, dialog)
  return isSent && signaling.isOpen
}

/** RFC 3261 §15.1.1: the session is over with our BYE, so an offer that crosses it gets 481. */
function refuseOffers(dialog: Dialog): void {
  const handle = dialog.handle.bind(dialog)
  dialog.handle = (req, res) => {
    if (req.method === 'INVITE' || req.method === 'UPDATE') res.send(481)
    else handle(req, res)
  }
}

/** Forgets the dialog: requests in it get 481 from now on. */
export function forgetDialog(signaling: SignalingConnection, dialog: Dialog): void {
  signaling.srf.removeDialog(dialog)
  dialog.removeAllListeners()
}
