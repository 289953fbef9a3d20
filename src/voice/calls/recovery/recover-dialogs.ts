/**
 * Recovery of dialogs that outlived their call: the process was killed, or lost its signaling server,
 * while a party was on the line. Each is ended with a BYE as soon as a signaling server can send it.
 */
import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import type { Logger } from '../../../platform/log.js'
import type { Telephony } from '../../telephony/port.js'
import { dropDialogs, orphanedDialogs } from '../storage/dialog-storage.js'

export interface RecoverDialogsDeps {
  readonly db: Database
  readonly telephony: Telephony
  readonly clock: Clock
  readonly log: Logger
}

/**
 * The interval at which orphaned dialogs are looked for: a call can end after its server came back.
 */
const LOOK_EVERY_MS = 2_000
const AT_ONCE = 50
/**
 * The age at which a dialog is forgotten without a BYE: every peer has ended it by its own limits.
 */
const MAX_AGE_MS = 24 * 3_600_000

/** Ends orphaned dialogs now, and whenever signaling comes back, until disposed. */
export function recoverDialogs(deps: RecoverDialogsDeps): AsyncDisposable {
  const { telephony, log } = deps
  let running: Promise<void> | undefined
  const look = () => {
    if (telephony.health.signaling !== 'up') return
    running ??= endAll(deps)
      .catch((err: unknown) => {
        log.error({ err }, 'could not end the orphaned dialogs')
      })
      .finally(() => {
        running = undefined
      })
  }
  const stop = telephony.onHealth(look)
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  look()
  return {
    [Symbol.asyncDispose]: async () => {
      stop()
      clearInterval(timer)
      await running
    },
  }
}

async function endAll({ db, telephony, clock, log }: RecoverDialogsDeps): Promise<void> {
  for (;;) {
    const left = await orphanedDialogs(db.read, db.node, AT_ONCE)
    const ended = await Promise.all(
      left.map(async ({ callSid, endedAt, dialog }) => {
        if (clock.now() - endedAt < MAX_AGE_MS && !(await telephony.endDialog(dialog))) return []
        log.info({ callSid }, 'sent BYE on an orphaned dialog')
        return [callSid]
      }),
    )
    const sids = ended.flat()
    if (sids.length === 0) return
    await db.write((tx) => dropDialogs(tx, sids))
  }
}
