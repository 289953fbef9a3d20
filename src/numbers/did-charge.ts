/** The monthly charge of a number: the account's DID rate, in advance. */
import { billedAccount } from '../accounts/billed-account.js'
import { balanceOf, type Ledger } from '../ledger/ledger.js'
import { startPaidCharge } from '../ledger/recurring-charges.js'
import { InsufficientBalanceError, reserve } from '../ledger/reservations.js'
import type { Writer } from '../platform/database/database.js'
import { paidRatesOf } from '../rating/account-rates.js'
import type { HeldNumber } from './held-numbers.js'

/** Millionths of a dollar in one unit of the ledger. */
const MICROS_PER_UNIT = 100

/** An amount in millionths of a dollar as units of the ledger, rounded up. */
function unitsOf(micros: number): number {
  return Math.ceil(micros / MICROS_PER_UNIT)
}

export interface ChargedNumbers {
  readonly accountSid: string
  readonly numbers: readonly HeldNumber[]
  /** The charged order; one order is charged once. */
  readonly orderId: string
  readonly description: string
  readonly now: number
  /**
   * Rate of the reservation, in millionths of a dollar: it is charged whatever the balance is. Undefined: the
   * current rate, which the balance must cover.
   */
  readonly reservedRate?: number | undefined
}

const NOT_COVERED = 'The balance does not cover the monthly rate of these numbers'
/** Time after which a reservation lapses, ms; its order has long ended by then. */
const RESERVED_MS = 30 * 86_400_000

export interface ReservedNumbers {
  readonly accountSid: string
  /** The name of the reservation. */
  readonly orderId: string
  readonly count: number
  readonly now: number
}

/**
 * Reserves the first month of numbers in an order. Resolves with the rate per number, in millionths of a
 * dollar. Throws InsufficientBalanceError.
 */
export async function reserveNewNumbers(
  tx: Writer,
  { accountSid, orderId, count, now }: ReservedNumbers,
): Promise<number> {
  const payer = await billedAccount(tx, accountSid)
  const { did = 0 } = await paidRatesOf(tx, accountSid, payer)
  const amount = unitsOf(did * count)
  if (amount === 0) return did
  const balance = await balanceOf(tx, payer)
  if (balance.amount - balance.reserved < amount) throw new InsufficientBalanceError(NOT_COVERED)
  const fit = (available: number) => (available < amount ? 0 : amount)
  const expiresAt = now + RESERVED_MS
  await reserve(tx, { reference: orderId, accountSid: payer, fit, now, expiresAt })
  return did
}

/**
 * Charges the first month of new numbers and starts their monthly charges. Resolves with the amount in 1/10,000
 * dollar. Throws InsufficientBalanceError, and the whole transaction fails.
 */
export async function chargeNewNumbers(
  tx: Writer,
  ledger: Pick<Ledger, 'post'>,
  { accountSid, numbers, orderId, description, now, reservedRate }: ChargedNumbers,
): Promise<number> {
  const billedSid = await billedAccount(tx, accountSid)
  const did = reservedRate ?? (await paidRatesOf(tx, accountSid, billedSid)).did ?? 0
  const amount = unitsOf(did * numbers.length)
  if (amount === 0) return 0
  await ledger.post(tx, {
    key: `number-order:${orderId}`,
    accountSid,
    billedSid,
    cause: 'number',
    reference: orderId,
    amount: -amount,
    description,
    at: now,
  })
  // The entry has locked the balance, so that it cannot change after this read.
  const balance = await balanceOf(tx, billedSid)
  if (reservedRate === undefined && balance.amount < balance.reserved)
    throw new InsufficientBalanceError(NOT_COVERED)
  await beginMonthlyCharges(tx, { accountSid, numbers, now })
  return amount
}

/** Starts the monthly charges of numbers whose current month is paid. */
export async function beginMonthlyCharges(
  tx: Writer,
  { accountSid, numbers, now }: Pick<ChargedNumbers, 'accountSid' | 'numbers' | 'now'>,
): Promise<void> {
  const { did = 0 } = await paidRatesOf(tx, accountSid, await billedAccount(tx, accountSid))
  if (did === 0) return
  const amount = unitsOf(did)
  for (const { sid, e164 } of numbers) {
    const description = `Number ${e164}`
    await startPaidCharge(tx, { accountSid, amount, description, reference: sid }, now)
  }
}
