/**
 * Dialogs that outlived their call: the process was killed, or lost its signaling server, while
 * somebody was on the line. Each is ended with a BYE as soon as a signaling server can send it.
 */
import type { Clock } from '../../platform/clock.js'
import type { Database, Reader, Writer } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { DialogFacts } from '../telephony/dialog-facts.js'
import type { Telephony } from '../telephony/port.js'

/** With the commit that makes the call answered. */
export async function keepDialog(tx: Writer, callSid: string, dialog: DialogFacts): Promise<void> {
  const facts = JSON.stringify(dialog)
  await tx
    .insertInto('live_dialogs')
    .values({ call_sid: callSid, facts })
    .onConflict((conflict) => conflict.column('call_sid').doUpdateSet({ facts }))
    .execute()
}

export async function dropDialog(tx: Writer, callSid: string): Promise<void> {
  await tx.deleteFrom('live_dialogs').where('call_sid', '=', callSid).execute()
}

export interface LeftDialogsDeps {
  readonly db: Database
  readonly telephony: Telephony
  readonly clock: Clock
  readonly log: Logger
}

/** A call can end after its server came back: what is left of its channel takes a moment. */
const LOOK_EVERY_MS = 2_000
const AT_ONCE = 50
/** Nobody is on the line any more; every peer has limits of its own. */
const MAX_AGE_MS = 24 * 3_600_000

/** Ends what an earlier life left, now and whenever the signaling comes back, until disposed. */
export function endLeftDialogs(deps: LeftDialogsDeps): AsyncDisposable {
  const { telephony, log } = deps
  let running: Promise<void> | undefined
  const look = () => {
    if (telephony.health.signaling !== 'up') return
    running ??= endAll(deps)
      .catch((err: unknown) => {
        log.error({ err }, 'dialogs that were left behind could not be ended')
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

async function endAll({ db, telephony, clock, log }: LeftDialogsDeps): Promise<void> {
  for (;;) {
    const left = await leftDialogs(db.read, AT_ONCE)
    const ended = await Promise.all(
      left.map(async ({ callSid, endedAt, dialog }) => {
        if (clock.now() - endedAt < MAX_AGE_MS && !(await telephony.endDialog(dialog))) return []
        log.info({ callSid }, 'whoever was left on the line of a former call was told')
        return [callSid]
      }),
    )
    const sids = ended.flat()
    if (sids.length === 0) return
    await db.write((tx) => tx.deleteFrom('live_dialogs').where('call_sid', 'in', sids).execute())
  }
}

async function leftDialogs(read: Reader, limit: number) {
  const rows = await read
    .selectFrom('live_dialogs')
    .innerJoin('calls', 'calls.sid', 'live_dialogs.call_sid')
    .select(['call_sid', 'facts', 'ended_at'])
    .where('ended_at', 'is not', null)
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    callSid: row.call_sid,
    endedAt: row.ended_at ?? 0,
    dialog: JSON.parse(row.facts) as DialogFacts, // as `keepDialog` wrote it
  }))
}
