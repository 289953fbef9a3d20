import { setTimeout as delay } from 'node:timers/promises'
import { Pump } from '../../platform/async/pump.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { CallRecord } from '../model/call-record.js'
import type { LiveCalls } from './actor/live-calls.js'
import { findCall } from './storage/call-storage.js'
import { dropWantedEnds, wantEnd, wantedEnds } from './storage/wanted-end-storage.js'

export interface WantedEndsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly live: Pick<LiveCalls, 'get'>
}

/** The interval at which a node looks for wishes of others. */
const EVERY_MS = 500
const AT_ONCE = 1_000
/** The longest wait for the end of a call of another node. */
const LIMIT_MS = 5_000
const LOOK_AGAIN_MS = 100

/**
 * Ends calls across the nodes that share a database: a node that is asked to end a call of another one
 * stores the wish, and the call's own node hangs up.
 */
export class WantedEnds implements AsyncDisposable {
  readonly #deps: WantedEndsDeps
  readonly #stopping = new AbortController()
  readonly #pump: Pump

  constructor(deps: WantedEndsDeps) {
    this.#deps = deps
    const now = () => deps.clock.monotonic()
    this.#pump = new Pump({
      now,
      look: async () => {
        await this.#look().catch((err: unknown) => {
          deps.log.warn({ err }, 'could not read which calls other nodes want ended')
        })
        return now() + EVERY_MS
      },
    })
    // An SQLite database has one node.
    if (deps.db.engine === 'postgres') this.#pump.wake()
  }

  /**
   * Asks the node of a call to end it. Resolves with the call once it has ended, or as it is when its
   * node has not ended it in time.
   */
  async ask(call: CallRecord): Promise<CallRecord> {
    const { clock, db } = this.#deps
    if (call.endedAt !== undefined || db.engine === 'sqlite') return call
    await db.write((tx) => wantEnd(tx, call.sid))
    const until = clock.monotonic() + LIMIT_MS
    let now: CallRecord = call
    const { signal } = this.#stopping
    while (now.endedAt === undefined && clock.monotonic() < until && !signal.aborted) {
      // This node may stop meanwhile: the call is then answered as it is.
      await delay(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined)
      now = (await findCall(db.read, call.accountSid, call.sid)) ?? now
    }
    return now
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await this.#pump[Symbol.asyncDispose]()
  }

  async #look(): Promise<void> {
    const { db, live } = this.#deps
    const sids = await wantedEnds(db.read, db.node, AT_ONCE)
    if (sids.length === 0) return
    const actors = sids.flatMap((sid) => live.get(sid) ?? [])
    await Promise.all(actors.map((actor) => actor.dispatch({ type: 'hangup-requested' })))
    await db.write((tx) => dropWantedEnds(tx, sids))
  }
}
