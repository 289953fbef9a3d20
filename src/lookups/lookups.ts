/** Looks up names and routes of numbers for accounts, and charges each look-up once. */
import { billedAccount } from '../accounts/billed-account.js'
import { balanceOf, type Ledger } from '../ledger/ledger.js'
import { InsufficientBalanceError } from '../ledger/reservations.js'
import { withLimit } from '../platform/async/limit.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader, Writer } from '../platform/database/database.js'
import { newSid } from '../platform/ids.js'
import { paidRatesOf, type RateField } from '../rating/account-rates.js'
import type { LookupProvider, NumberRoute } from './lookup-provider.js'

/** A look-up that was made and is not charged yet. */
export interface Charge {
  readonly key: string
  readonly accountSid: string
  readonly kind: 'cnam' | 'lrn'
  readonly number: string
  /** In 1/10,000 dollar. */
  readonly price: number
}

export interface FoundName {
  /** Undefined when no name is known. */
  readonly name: string | undefined
  readonly charge: Charge
}

export interface FoundRoute {
  readonly route: NumberRoute
  readonly charge: Charge
}

/**
 * Requests to the provider are separate from storage: `find` ends before the transaction begins. Each method
 * rejects with InsufficientBalanceError, and `find` also with LookupError.
 */
export interface Lookups {
  findName(accountSid: string, number: string): Promise<FoundName>
  findRoute(accountSid: string, destination: string, caller: string): Promise<FoundRoute>
  /** Charges a look-up; one that is charged already is left alone. */
  pay(charge: Charge): Promise<void>
  /**
   * The name of the caller of an incoming call, which is charged once; undefined when none is known in
   * time, or when the balance does not pay for it. A name that comes too late costs nothing.
   */
  callerNameFor(call: {
    readonly sid: string
    readonly accountSid: string
    readonly from: string
  }): Promise<string | undefined>
}

export interface LookupsDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly ledger: Pick<Ledger, 'post'>
  readonly provider: LookupProvider
  /** Maximum time that an incoming call waits for its caller's name, ms. */
  readonly callerNameLimitMs?: number
}

/** Rates are millionths of a dollar, amounts 1/10,000. */
const MICROS_PER_UNIT = 100
const CALLER_NAME_LIMIT_MS = 2_000

export function createLookups(deps: LookupsDeps): Lookups {
  const { db, provider, callerNameLimitMs = CALLER_NAME_LIMIT_MS } = deps
  const pay = async (charge: Charge): Promise<void> => {
    if (charge.price > 0) await db.write((tx) => post(tx, charge, deps))
  }
  const findName = async (
    accountSid: string,
    number: string,
    key = `lookup:${newSid('LU')}`,
  ): Promise<FoundName> => {
    const price = await affordable(db.read, accountSid, 'cnam')
    const name = await provider.callerName(number)
    return { name, charge: { key, accountSid, kind: 'cnam', number, price } }
  }
  return {
    findName,
    findRoute: async (accountSid, destination, caller) => {
      const price = await affordable(db.read, accountSid, 'lrn')
      const route = await provider.route(destination, caller)
      const key = `lookup:${newSid('LU')}`
      return { route, charge: { key, accountSid, kind: 'lrn', number: destination, price } }
    },
    pay,
    callerNameFor: async ({ sid, accountSid, from }) => {
      try {
        const finding = findName(accountSid, from, `lookup:${sid}`)
        const found = await withLimit<FoundName | undefined>(
          finding,
          callerNameLimitMs,
          () => undefined,
        )
        if (found !== undefined) await pay(found.charge)
        return found?.name
      } catch (error) {
        if (error instanceof InsufficientBalanceError) return undefined
        throw error
      }
    },
  }
}

/** The price of a look-up. Rejects with InsufficientBalanceError when the balance is below it. */
async function affordable(read: Reader, accountSid: string, field: RateField): Promise<number> {
  const billedSid = await billedAccount(read, accountSid)
  const { [field]: rate = 0 } = await paidRatesOf(read, accountSid, billedSid)
  const price = Math.ceil(rate / MICROS_PER_UNIT)
  await refuseUnpaid(read, accountSid, price)
  return price
}

async function refuseUnpaid(read: Reader, accountSid: string, price: number): Promise<void> {
  if (price === 0) return
  const { amount, reserved } = await balanceOf(read, await billedAccount(read, accountSid))
  if (amount - reserved < price)
    throw new InsufficientBalanceError('The balance of the account is too low for this look-up.')
}

async function post(
  tx: Writer,
  { key, accountSid, kind, number, price }: Charge,
  { clock, ledger }: LookupsDeps,
): Promise<void> {
  await refuseUnpaid(tx, accountSid, price)
  await ledger.post(tx, {
    key,
    accountSid,
    cause: 'lookup',
    kind,
    reference: number,
    amount: -price,
    description: `Look-up (${kind}) of ${number}`,
    at: clock.now(),
  })
}
