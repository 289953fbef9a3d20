import type { Dialog } from 'drachtio-srf'
import type { Logger } from '../../../platform/log.js'
import { withLimit } from '../limit.js'
import type { SignalingConnection } from './signaling-connection.js'

/** BYE, unless one was exchanged already; resolves when answered or given up. Never rejects. */
export async function endDialog(
  signaling: SignalingConnection,
  dialog: Dialog,
  limitMs: number,
  log: Logger,
): Promise<void> {
  if (!dialog.connected) return
  try {
    await withLimit(dialog.destroy({}), limitMs, () => undefined)
  } catch (err) {
    log.debug({ err }, 'a BYE could not be sent')
  }
  forgetDialog(signaling, dialog)
}

/** Nothing of the dialog stays here; requests in it get 481 from now on. */
export function forgetDialog(signaling: SignalingConnection, dialog: Dialog): void {
  signaling.srf.removeDialog(dialog)
  dialog.removeAllListeners()
}
