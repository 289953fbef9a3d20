/** Parts accepted by carriers, and receipts whose message is not known yet. */
import type { Reader, Writer } from '../../platform/database/database.js'
import { isFinalReceipt, RECEIPT_STATES, type ReceiptState } from '../receipt-state.js'

export interface Part {
  readonly sid: string
  readonly part: number
}

const PASSING_STATES = RECEIPT_STATES.filter((state) => !isFinalReceipt(state))

/**
 * Stores the carrier's ids of a message's parts, each once. A carrier may restart its counter and reuse an id,
 * which then belongs to the later message.
 */
export async function insertParts(
  tx: Writer,
  sid: string,
  carrier: string,
  ids: readonly string[],
): Promise<void> {
  const rows = ids.map((id, part) => ({
    carrier,
    carrierId: id,
    sid,
    part,
    state: 'ENROUTE' as const,
  }))
  await tx
    .insertInto('message_parts')
    .values(rows)
    .onConflict((known) =>
      known
        .columns(['carrier', 'carrierId'])
        .doUpdateSet((set) => ({
          sid: set.ref('excluded.sid'),
          part: set.ref('excluded.part'),
          state: set.ref('excluded.state'),
        }))
        .whereRef('message_parts.sid', '<>', 'excluded.sid'),
    )
    .execute()
}

export async function findPart(
  read: Reader,
  carrier: string,
  carrierId: string,
): Promise<Part | undefined> {
  return await read
    .selectFrom('message_parts')
    .select(['sid', 'part'])
    .where('carrier', '=', carrier)
    .where('carrierId', '=', carrierId)
    .executeTakeFirst()
}

/** The states of the parts of a message, in their order. */
export async function partStates(read: Reader, sid: string): Promise<readonly ReceiptState[]> {
  const rows = await read
    .selectFrom('message_parts')
    .select('state')
    .where('sid', '=', sid)
    .orderBy('part')
    .execute()
  return rows.map(({ state }) => state)
}

export async function setPartState(
  tx: Writer,
  { sid, part }: Part,
  state: ReceiptState,
): Promise<void> {
  await tx
    .updateTable('message_parts')
    .set({ state })
    .where('sid', '=', sid)
    .where('part', '=', part)
    .execute()
}

/** A receipt that arrived before its message was known. */
export interface EarlyReceipt {
  readonly carrier: string
  /** Possible ids, the most probable first. */
  readonly ids: readonly string[]
  readonly recipient: string | undefined
  readonly state: ReceiptState
}

/** Stores a receipt for an unknown part; the first final one counts. */
export async function keepEarlyReceipt(
  tx: Writer,
  { carrier, ids, recipient = '', state }: EarlyReceipt,
  now: number,
): Promise<void> {
  const [receiptId = ''] = ids
  const common = { carrier, recipient, receiptId, state, receivedAt: now }
  await tx
    .insertInto('message_early_receipts')
    .values(ids.map((id) => ({ ...common, carrierId: id })))
    .onConflict((known) =>
      known
        .columns(['carrier', 'carrierId', 'recipient'])
        .doUpdateSet({ receiptId, state, receivedAt: now })
        .where('message_early_receipts.state', 'in', PASSING_STATES),
    )
    .execute()
}

/**
 * Removes and returns the stored receipt of a part, under any of its ids; undefined if none. An ambiguous one
 * matches only a message to its recipient.
 */
export async function takeEarlyReceipt(
  tx: Writer,
  carrier: string,
  carrierId: string,
  recipient: string,
): Promise<ReceiptState | undefined> {
  const kept = await tx
    .selectFrom('message_early_receipts')
    .select(['recipient', 'receiptId', 'state'])
    .where('carrier', '=', carrier)
    .where('carrierId', '=', carrierId)
    .execute()
  const taken =
    kept.find((each) => each.recipient === recipient) ??
    kept.find((each) => each.recipient === '') ??
    kept.find((each) => each.receiptId === carrierId)
  if (taken === undefined) return undefined
  await tx
    .deleteFrom('message_early_receipts')
    .where('carrier', '=', carrier)
    .where('receiptId', '=', taken.receiptId)
    .where('recipient', '=', taken.recipient)
    .execute()
  return taken.state
}

/** Removes unmatched receipts from before this time. */
export async function removeEarlyReceipts(tx: Writer, before: number): Promise<void> {
  await tx.deleteFrom('message_early_receipts').where('receivedAt', '<', before).execute()
}
