import { randomUUID } from 'node:crypto'
import { Pump } from '../../platform/async/pump.js'
import { pause } from '../../platform/async/sleep.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { UpdateCall, WantedOutcome } from '../model/call-change.js'
import { CallNotInProgressError, TelephonyUnavailableError } from '../model/call-errors.js'
import type { CallRecord } from '../model/call-record.js'
import type { CallActor } from './actor/call-actor.js'
import type { LiveCalls } from './actor/live-calls.js'
import { changeCall } from './change-call.js'
import { findCall } from './storage/call-storage.js'
import {
  dropOldOutcomes,
  dropWantedChange,
  insertWantedChange,
  openWantedChanges,
  storeOutcome,
  type WantedChange,
  wantedOutcome,
} from './storage/wanted-change-storage.js'

export interface WantedChangesDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly live: Pick<LiveCalls, 'get'>
}

/** The interval at which a node looks for wishes of others. */
const EVERY_MS = 500
const AT_ONCE = 1_000
/** The longest wait for the node of a call. */
const LIMIT_MS = 5_000
const LOOK_AGAIN_MS = 100
/** An outcome is kept at least this long; who asked has read it by then, or has died. */
const KEPT_MS = 60_000

/**
 * Changes calls across the nodes that share a database: a node that is asked to change or to end a call
 * of another one stores the wish, and the call's own node does it.
 */
export class WantedChanges implements AsyncDisposable {
  readonly #deps: WantedChangesDeps
  readonly #stopping = new AbortController()
  readonly #pump: Pump
  #tidyAt = 0

  constructor(deps: WantedChangesDeps) {
    this.#deps = deps
    const now = () => deps.clock.monotonic()
    this.#pump = new Pump({
      now,
      look: async () => {
        await this.#look().catch((err: unknown) => {
          deps.log.warn({ err }, 'could not make the changes of calls that other nodes want')
        })
        return now() + EVERY_MS
      },
    })
    // An SQLite database has one node.
    if (deps.db.engine === 'postgres') this.#pump.wake()
  }

  /**
   * Asks the node of a call to change it. Resolves with the changed call; with the ended one where an
   * end was asked for, or as it is when it has not ended in time. Rejects with CallNotInProgressError
   * when the call is not in progress, and with TelephonyUnavailableError when its node does not answer.
   */
  async ask(call: CallRecord, change: UpdateCall): Promise<CallRecord> {
    const { clock, db } = this.#deps
    // An ended call can be ended again; everything else about it is final.
    if (call.endedAt !== undefined && change.end !== undefined) return call
    if (call.endedAt !== undefined) throw notInProgress(call)
    if (db.engine === 'sqlite') throw noAnswer(call)
    const wanted = { id: randomUUID(), callSid: call.sid, change, askedAt: clock.now() }
    await db.write((tx) => insertWantedChange(tx, wanted))
    const until = clock.monotonic() + LIMIT_MS
    const outcome = await this.#until(until, () => wantedOutcome(db.read, wanted.id))
    // The wish for an end stays: the call's node hangs up when it can.
    if (outcome !== undefined || change.end === undefined)
      await db.write((tx) => dropWantedChange(tx, wanted.id))
    if (change.end !== undefined) {
      const ended = await this.#until(until, async () => {
        const now = await findCall(db.read, call.accountSid, call.sid)
        return now?.endedAt === undefined ? undefined : now
      })
      return ended ?? (await this.#asStored(call))
    }
    if (outcome === 'not-in-progress') throw notInProgress(call)
    if (outcome !== 'made') throw noAnswer(call)
    return await this.#asStored(call)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#pump[Symbol.asyncDispose]()
  }

  async #asStored(call: CallRecord): Promise<CallRecord> {
    return (await findCall(this.#deps.db.read, call.accountSid, call.sid)) ?? call
  }

  /** What `look` finds, or undefined when it found nothing until then or this node stops. */
  async #until<T>(until: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
    const { signal } = this.#stopping
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if (this.#deps.clock.monotonic() >= until || signal.aborted) return undefined
      await pause(LOOK_AGAIN_MS, signal)
    }
  }

  async #look(): Promise<void> {
    const { clock, db } = this.#deps
    const open = await openWantedChanges(db.read, db.node, AT_ONCE)
    const sids = new Set(open.map(({ callSid }) => callSid))
    const of = (sid: string) => open.filter(({ callSid }) => callSid === sid)
    await Promise.all([...sids].map((sid) => this.#changeInOrder(of(sid))))
    if (clock.monotonic() < this.#tidyAt) return
    this.#tidyAt = clock.monotonic() + KEPT_MS
    const before = clock.now() - KEPT_MS
    await db.write((tx) => dropOldOutcomes(tx, before))
  }

  async #changeInOrder(changes: readonly WantedChange[]): Promise<void> {
    const { db, live } = this.#deps
    for (const { id, callSid, change } of changes) {
      const actor = live.get(callSid)
      const outcome = actor === undefined ? 'not-in-progress' : await this.#make(actor, change)
      await db.write((tx) => storeOutcome(tx, id, outcome))
    }
  }

  async #make(actor: CallActor, change: UpdateCall): Promise<WantedOutcome> {
    try {
      await changeCall(actor, change)
      return 'made'
    } catch (err) {
      if (err instanceof CallNotInProgressError) return 'not-in-progress'
      const { sid } = actor.record
      this.#deps.log.warn(
        { err, callSid: sid },
        'could not make the change that another node wants',
      )
      return 'failed'
    }
  }
}

function notInProgress(call: CallRecord): CallNotInProgressError {
  return new CallNotInProgressError(`call ${call.sid} is not in progress`)
}

function noAnswer(call: CallRecord): TelephonyUnavailableError {
  return new TelephonyUnavailableError(`the server of call ${call.sid} does not answer`)
}
