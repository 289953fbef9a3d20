/** The parts that carriers have taken, and receipts that nobody could be found for yet. */
import type { Reader, Writer } from '../../platform/database/database.js'
import { isFinalReceipt, RECEIPT_STATES, type ReceiptState } from '../receipt-state.js'

export interface Part {
  readonly sid: string
  readonly part: number
}

const PASSING_STATES = RECEIPT_STATES.filter((state) => !isFinalReceipt(state))

/**
 * Stores the ids that a carrier gave to the parts of a message, each once. A carrier that begins to
 * count anew gives an id again: it is then that of the later message.
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

/** A receipt that came before its message was known. */
export interface EarlyReceipt {
  readonly carrier: string
  /** The ids that the carrier may mean, the most probable first. */
  readonly ids: readonly string[]
  readonly recipient: string | undefined
  readonly state: ReceiptState
}

/** Keeps a receipt for a part that nobody knows yet; the first final one stands. */
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
 * Takes the receipt that came before the part was known, under each id that it was kept under; undefined
 * when none did. One that may mean another id is taken only for a message that went to its recipient.
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

/** Removes receipts that came before this time and that nobody was found for. */
export async function removeEarlyReceipts(tx: Writer, before: number): Promise<void> {
  await tx.deleteFrom('message_early_receipts').where('receivedAt', '<', before).execute()
}
