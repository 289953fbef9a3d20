import { idle } from '../../../platform/async/sleep.js'
import type { Clock } from '../../../platform/clock.js'
import type { Database, Writer } from '../../../platform/database/database.js'
import type { CallbackOutbox } from '../../../platform/outbox/callback.js'
import type { CallAudio } from '../../../rating/settle-call.js'
import type { CallRecord } from '../../model/call-record.js'
import type { InviteFacts, LegFacts } from '../../telephony/dialog-facts.js'
import type { Leg } from '../../telephony/port.js'
import type { CallCharging } from '../charging/call-charging.js'
import { saveCall } from '../storage/call-storage.js'
import { deleteLegFacts, storeLegFacts } from '../storage/dialog-storage.js'
import type { CallEvent } from './call-machine.js'
import type { CallbackRow } from './step-record.js'

export interface CallStoreDeps {
  readonly clock: Clock
  readonly db: Pick<Database, 'node'>
  readonly outbox: CallbackOutbox
  readonly charging: Pick<CallCharging, 'priced' | 'settle'>
}

/** Another node has declared this one dead and ended the call; nothing more is stored here. */
export class CallTakenOverError extends Error {
  override readonly name = 'CallTakenOverError'

  constructor() {
    super('another node has ended the call')
  }
}

const RETRY_MS = 1_000

/**
 * The stored record of one call. A change that failed to be stored is stored with the next successful commit.
 */
export class CallStore {
  readonly #deps: CallStoreDeps
  #record: CallRecord
  #shown: CallRecord
  #isStored = true
  #owed: readonly CallbackRow[] = []
  /** The audio of the call's leg, once the leg is over. */
  audio: CallAudio | undefined

  constructor(record: CallRecord, deps: CallStoreDeps) {
    this.#record = record
    this.#shown = record
    this.#deps = deps
  }

  get record(): CallRecord {
    return this.#record
  }

  /** The record that others may see: the stored one, or the newest one while the disk accepts no writes. */
  get shown(): CallRecord {
    return this.#shown
  }

  /** Sets the newest record, which the next commit stores. */
  note(record: CallRecord): void {
    this.#record = record
  }

  /**
   * Stores the record with its callbacks, and charges for an ended call. Rejects when storing fails; the
   * record still becomes the newest.
   */
  async commit(
    record: CallRecord,
    rows: readonly CallbackRow[],
    also?: (tx: Writer) => Promise<void>,
  ): Promise<void> {
    const { charging, clock, db, outbox } = this.#deps
    const own = { by: db.node, to: db.node }
    const stored = charging.priced({ ...record, updatedAt: clock.now() })
    this.#record = stored
    const owed = [...this.#owed, ...rows]
    this.#owed = owed
    this.#isStored = false
    try {
      await outbox.commit(async (tx, enqueue) => {
        if (!(await saveCall(tx, stored, own))) throw new CallTakenOverError()
        await charging.settle(tx, stored, this.audio)
        await enqueue(owed)
        await also?.(tx)
      }, 'read-committed')
    } catch (error) {
      // The other node's record of the end is the valid one.
      if (error instanceof CallTakenOverError) this.#settled()
      throw error
    } finally {
      this.#shown = stored
    }
    this.#settled()
  }

  /** Writes other rows of the call, without its record. */
  write(work: (tx: Writer) => Promise<void>): Promise<void> {
    return this.#deps.outbox.commit((tx) => work(tx), 'read-committed')
  }

  #settled(): void {
    this.#isStored = true
    this.#owed = []
  }

  /** Resolves once the newest record is stored, however long the disk accepts no writes. */
  async stored(): Promise<void> {
    while (!this.#isStored) {
      // A process that ends does not wait: recovery ends a call that is not stored as ended.
      await idle(RETRY_MS)
      // The failure was logged when it first occurred.
      await this.commit(this.#record, []).catch(() => undefined)
    }
  }
}

/** The dialogs and INVITEs of one call on signaling servers, stored so that recovery can end them. */
export class CallDialogs {
  readonly #callSid: string
  /** The INVITEs of earlier legs whose server was lost. */
  readonly #abandoned: InviteFacts[] = []

  constructor(callSid: string) {
    this.#callSid = callSid
  }

  /** Takes over the open INVITEs of a leg, before another route is dialled. */
  abandon(leg: Leg | undefined): void {
    this.#abandoned.push(...(leg?.openInvites ?? []))
  }

  /** Stores the current dialog and open INVITEs. */
  async store(tx: Writer, leg: Leg | undefined): Promise<void> {
    await storeLegFacts(tx, this.#callSid, this.#factsOf(leg))
  }

  /** Stores what remains after an event of the call, in the transaction of its commit. */
  async storeAfter(tx: Writer, event: CallEvent, leg: Leg | undefined): Promise<void> {
    if (event.type !== 'answered' && event.type !== 'ended') return
    const { dialog, invites } = this.#factsOf(leg)
    if (dialog !== undefined || invites.length > 0) await this.store(tx, leg)
    else if (event.type === 'ended') await deleteLegFacts(tx, this.#callSid)
  }

  #factsOf(leg: Leg | undefined): LegFacts {
    const open = leg?.openInvites ?? []
    return { dialog: leg?.dialogFacts, invites: [...this.#abandoned, ...open] }
  }
}
