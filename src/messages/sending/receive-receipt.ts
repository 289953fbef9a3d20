/** Handles delivery receipts, which may be late, early, repeated and in any order. */
import type { Ledger } from '../../ledger/ledger.js'
import type { Clock } from '../../platform/clock.js'
import type { Writer } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import type { Receipt } from '../carrier.js'
import { isFinalReceipt, readReceiptState } from '../receipt-state.js'
import { findMessage } from '../storage/message-storage.js'
import {
  findPart,
  keepEarlyReceipt,
  type Part,
  partStates,
  removeEarlyReceipts,
  setPartState,
} from '../storage/part-storage.js'
import { applyEvent } from './apply-event.js'

export interface ReceiptDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly ledger: Pick<Ledger, 'post'>
  readonly callbacks: CallbackOutbox
}

/** Time that a receipt waits for its message to become known, ms. */
const EARLY_KEPT_MS = 3_600_000

/** Resolves once the receipt is stored; a repeated one changes nothing. */
export async function receiveReceipt(
  receipt: Receipt,
  { callbacks, clock, ledger, log }: ReceiptDeps,
): Promise<void> {
  const now = clock.now()
  const { carrier, id, otherIds = [], recipient } = receipt
  const state = readReceiptState(receipt.state)
  const isKnown = await callbacks.commit(async (tx, enqueue) => {
    const part = await partOf(tx, receipt)
    if (part === undefined) {
      await removeEarlyReceipts(tx, now - EARLY_KEPT_MS)
      await keepEarlyReceipt(tx, { carrier, ids: [id, ...otherIds], recipient, state }, now)
      return false
    }
    const message = await findMessage(tx, part.sid)
    const known = (await partStates(tx, part.sid))[part.part]
    if (message === undefined || known === undefined || isFinalReceipt(known)) return true
    const scope = { tx, enqueue, ledger, now }
    await applyEvent(scope, message, { type: 'receipt', part: part.part, state })
    await setPartState(tx, part, state)
    return true
  })
  if (!isKnown) log.info({ carrier, id, state }, 'kept a receipt whose message is not known')
}

/**
 * Finds the part that a receipt is for. Of several possible ids it is the one whose message went to the
 * receipt's recipient.
 */
async function partOf(
  tx: Writer,
  { carrier, id, otherIds = [], recipient }: Receipt,
): Promise<Part | undefined> {
  const exact = await findPart(tx, carrier, id)
  if (otherIds.length === 0) return exact
  for (const each of [id, ...otherIds]) {
    const part = each === id ? exact : await findPart(tx, carrier, each)
    if (part === undefined) continue
    if (recipient === undefined || (await findMessage(tx, part.sid))?.to === recipient) return part
  }
  return exact
}
