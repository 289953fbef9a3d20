/** The monthly charge of a number: the account's DID rate, in advance. */
import { billedAccount } from '../accounts/billed-account.js'
import { balanceOf, type Ledger } from '../ledger/ledger.js'
import { startPaidCharge } from '../ledger/recurring-charges.js'
import { InsufficientBalanceError, reserve } from '../ledger/reservations.js'
import type { Writer } from '../platform/database/database.js'
import { paidRatesOf } from '../rating/account-rates.js'
import type { HeldNumber } from './held-numbers.js'

/** The parts of a rate that one unit of the ledger has. */
const MICROS_PER_UNIT = 100

/** An amount in millionths of a dollar as units of the ledger, rounded up. */
function unitsOf(micros: number): number {
  return Math.ceil(micros / MICROS_PER_UNIT)
}

export interface ChargedNumbers {
  readonly accountSid: string
  readonly numbers: readonly HeldNumber[]
  /** The order that the charge is for; one order is charged once. */
  readonly orderId: string
  readonly description: string
  readonly now: number
  /**
   * The rate, in millionths of a dollar, at which the charge was reserved: it is then charged whatever
   * the balance is. Undefined: the rate of this moment, which the balance must cover.
   */
  readonly reservedRate?: number | undefined
}

const NOT_COVERED = 'The balance does not cover the monthly rate of these numbers'
/** The time after which a reservation lapses; an order that it is for has long ended. */
const RESERVED_MS = 30 * 86_400_000

export interface ReservedNumbers {
  readonly accountSid: string
  /** The name of the reservation. */
  readonly orderId: string
  readonly count: number
  readonly now: number
}

/**
 * Reserves the first month of numbers that are being ordered. Resolves with the rate of one number, in
 * millionths of a dollar. Throws InsufficientBalanceError when the balance does not cover it.
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
 * Charges the first month of numbers that an account has got, and begins their monthly charges.
 * Resolves with the amount in 1/10,000 dollar. Throws InsufficientBalanceError when the balance does
 * not cover it; the transaction then fails as a whole.
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
  // The entry has locked the balance: nobody else spends what is read here.
  const balance = await balanceOf(tx, billedSid)
  if (reservedRate === undefined && balance.amount < balance.reserved)
    throw new InsufficientBalanceError(NOT_COVERED)
  await beginMonthlyCharges(tx, { accountSid, numbers, now })
  return amount
}

/** Begins the monthly charges of numbers whose month under way is paid. */
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
