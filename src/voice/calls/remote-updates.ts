import { pause } from '../../platform/async/sleep.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { type NodeRequests, NodeUnavailableError } from '../../platform/nodes/node-requests.js'
import { CallNotInProgressError } from '../model/call-errors.js'
import type { RemoteUpdateOutcome, UpdateCall } from '../model/call-plan.js'
import type { CallRecord } from '../model/call-record.js'
import type { LiveCalls } from './actor/live-calls.js'
import { changeCall } from './change-call.js'
import { findCall, otherNodeOfCall } from './storage/call-storage.js'

export interface RemoteUpdatesDeps {
  readonly db: Database
  readonly clock: Clock
  readonly live: Pick<LiveCalls, 'get'>
  readonly nodeRequests: Pick<NodeRequests, 'on' | 'ask'>
}

/** The update that the call's node is asked to make. */
interface RemoteUpdate {
  readonly callSid: string
  readonly change: UpdateCall
}

const KIND = 'change-call'
/** Maximum time for a call to end after its node was asked to end it, ms. */
const END_LIMIT_MS = 5_000
const POLL_MS = 100

/**
 * Updates calls across the nodes that share a database: forwards an update of another node's call to that
 * node.
 */
export class RemoteUpdates implements Disposable {
  readonly #deps: RemoteUpdatesDeps
  readonly #stopping = new AbortController()

  constructor(deps: RemoteUpdatesDeps) {
    this.#deps = deps
    deps.nodeRequests.on(
      KIND,
      (content) => this.#apply(content as RemoteUpdate), // as `ask` wrote it
    )
  }

  /**
   * Asks the node of a call to change it. Resolves with the changed call; for an end, with the ended call, or
   * with the current one when it has not ended in time. Rejects with CallNotInProgressError when the call is
   * not in progress, and with NodeUnavailableError when its node does not answer.
   */
  async ask(call: CallRecord, change: UpdateCall): Promise<CallRecord> {
    const { db } = this.#deps
    // Ending an ended call succeeds; any other change of it fails.
    if (call.endedAt !== undefined && change.end !== undefined) return call
    const node = await otherNodeOfCall(db, call)
    if (change.end !== undefined) return await this.#askForEnd(call, change, node)
    if (node === undefined) throw notInProgress(call)
    return await this.#askForChange(call, change, node)
  }

  [Symbol.dispose](): void {
    this.#stopping.abort()
  }

  async #askForChange(call: CallRecord, change: UpdateCall, node: string): Promise<CallRecord> {
    const content: RemoteUpdate = { callSid: call.sid, change }
    const asker = call.accountSid
    const asked = { asker, node, kind: KIND, content, ifLate: 'withdraw' } as const
    const outcome = await this.#deps.nodeRequests.ask(asked)
    if (outcome === 'not-in-progress') throw notInProgress(call)
    return await this.#asStored(call)
  }

  /**
   * A request for an end stays in the database while the call's node does not answer, so the node can still
   * hang up later.
   */
  async #askForEnd(
    call: CallRecord,
    change: UpdateCall,
    node: string | undefined,
  ): Promise<CallRecord> {
    const { clock, nodeRequests } = this.#deps
    const { signal } = this.#stopping
    const until = clock.monotonic() + END_LIMIT_MS
    const asker = call.accountSid
    const content: RemoteUpdate = { callSid: call.sid, change }
    try {
      // Without another node the call has ended or is about to end.
      if (node !== undefined)
        await nodeRequests.ask({ asker, node, kind: KIND, content, ifLate: 'leave' })
    } catch (error) {
      if (!(error instanceof NodeUnavailableError)) throw error
    }
    for (;;) {
      const now = await this.#asStored(call)
      if (now.endedAt !== undefined || clock.monotonic() >= until || signal.aborted) return now
      await pause(POLL_MS, signal)
    }
  }

  async #asStored(call: CallRecord): Promise<CallRecord> {
    return (await findCall(this.#deps.db.read, call.accountSid, call.sid)) ?? call
  }

  async #apply({ callSid, change }: RemoteUpdate): Promise<RemoteUpdateOutcome> {
    const actor = this.#deps.live.get(callSid)
    if (actor === undefined) return 'not-in-progress'
    try {
      await changeCall(actor, change)
      return 'made'
    } catch (err) {
      if (err instanceof CallNotInProgressError) return 'not-in-progress'
      throw err
    }
  }
}

function notInProgress(call: CallRecord): CallNotInProgressError {
  return new CallNotInProgressError(`call ${call.sid} is not in progress`)
}
