/**
 * Recovery of dialogs and INVITEs that outlived their call: the process was killed, or lost its signaling
 * server, while a peer was connected or ringing. Each is ended as soon as a signaling server can do it: by
 * BYE, by CANCEL, or by a final response.
 */
import type { Clock } from '../../../platform/clock.js'
import type { Database } from '../../../platform/database/database.js'
import type { Logger } from '../../../platform/log.js'
import type { LegFacts } from '../../telephony/dialog-facts.js'
import type { Telephony } from '../../telephony/port.js'
import { deleteLegFacts, orphanedLegs } from '../storage/dialog-storage.js'

export interface RecoverDialogsDeps {
  readonly db: Database
  readonly telephony: Telephony
  readonly clock: Clock
  readonly log: Logger
}

/** Interval of searches for orphaned dialogs, ms: a call can end after its server has reconnected. */
const LOOK_EVERY_MS = 2_000
const AT_ONCE = 50
/** Maximum age of a dialog, ms; an older one is forgotten without a BYE, since every peer has ended it. */
const MAX_AGE_MS = 24 * 3_600_000

/** Ends orphaned dialogs now, regularly, and whenever signaling reconnects, until disposed. */
export function recoverDialogs(deps: RecoverDialogsDeps): AsyncDisposable {
  const { telephony, log } = deps
  let running: Promise<void> | undefined
  const look = () => {
    if (telephony.health.signaling !== 'up') return
    running ??= endAll(deps)
      .catch((err: unknown) => {
        log.error({ err }, 'could not end orphaned dialogs')
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
    const left = await orphanedLegs(db.read, db.node, AT_ONCE)
    const ended = await Promise.all(
      left.map(async ({ callSid, endedAt, leg }) => {
        if (clock.now() - endedAt < MAX_AGE_MS && !(await endLeg(leg, telephony))) return []
        log.info({ callSid }, 'ended the orphaned leg of a call')
        return [callSid]
      }),
    )
    const sids = ended.flat()
    if (sids.length === 0) return
    await db.write(async (tx) => {
      for (const sid of sids) await deleteLegFacts(tx, sid)
    })
  }
}

/** Resolves to true when everything of the leg has ended, or nothing more can be done. */
async function endLeg({ dialog, invites }: LegFacts, telephony: Telephony): Promise<boolean> {
  const ends = [
    ...(dialog === undefined ? [] : [telephony.endDialog(dialog)]),
    ...invites.map((invite) => telephony.endInvite(invite)),
  ]
  return (await Promise.all(ends)).every((isEnded) => isEnded)
}
