import { withLimit } from '../../../platform/async/limit.js'
import type { Logger } from '../../../platform/log.js'
import type { DialogFacts } from '../dialog-facts.js'
import { nextHopOf } from './dialog-facts-of.js'
import type { SignalingConnection } from './signaling-connection.js'

const LIMIT_MS = 3_000
/**
 * The step by which the CSeq of a recovery's BYE is raised. RFC 3261 §12.2.2 accepts any higher
 * CSeq, and the number of our requests since the INVITE is not stored.
 */
const SEQUENCE_STEP = 10_000

/**
 * Recovery: sends BYE in a dialog that an earlier process left behind. One message serves both
 * cases. A drachtio that still has the dialog finds it by the Call-ID; one that was restarted sends
 * the headers of the message. Resolves when answered or given up; rejects when the server did not
 * take the command.
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
