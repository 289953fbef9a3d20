import type { Dialog } from 'drachtio-srf'
import { withLimit } from '../../../platform/async/limit.js'
import type { Logger } from '../../../platform/log.js'
import type { SignalingConnection } from './signaling-connection.js'

/**
 * BYE, unless one was exchanged already; resolves when answered or given up. Never rejects. False when
 * it could not be sent: the peer still believes in the dialog.
 */
export async function endDialog(
  signaling: SignalingConnection,
  dialog: Dialog,
  limitMs: number,
  log: Logger,
): Promise<boolean> {
  if (!dialog.connected) return true
  let isSent = true
  try {
    await withLimit(dialog.destroy({}), limitMs, () => undefined)
  } catch (err) {
    log.debug({ err }, 'a BYE could not be sent')
    isSent = false
  }
  forgetDialog(signaling, dialog)
  return isSent && signaling.isOpen
}

/** Nothing of the dialog stays here; requests in it get 481 from now on. */
export function forgetDialog(signaling: SignalingConnection, dialog: Dialog): void {
  signaling.srf.removeDialog(dialog)
  dialog.removeAllListeners()
}
