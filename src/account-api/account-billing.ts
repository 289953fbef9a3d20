import type { Account } from '../accounts/accounts.js'
import type { PageRequest, UncountedPage } from '../platform/database/newest-first.js'
import type { KeysetPage } from '../platform/database/oldest-first.js'

/** Prices of an account's services, in dollars; `nibble` is the price of a minute. */
export interface AccountRates {
  readonly fax: number
  readonly sms: number
  readonly mms: number
  readonly tfAdj: number
  readonly lrn: number
  readonly nibble: number
  readonly did: number
  readonly cnam: number
  readonly intlMax: number
}

/** A change of rates; absent rates keep their value. */
export type AccountRatesChange = {
  readonly [Field in keyof AccountRates]?: number | undefined
}

export interface ShownCharge {
  readonly amount: number
  readonly description: string
}

export interface ShownCdr {
  readonly key: readonly string[]
  readonly id: string
  readonly value: Readonly<Record<'ip' | 'cn' | 'nr' | 'dst' | 'dur' | 'ba' | 'cid', string>>
}

export interface ShownCredit {
  readonly isPaid: boolean
  readonly createdAt: number
  readonly amount: number
}

export interface ShownPayment {
  readonly amount: number
  readonly createdAt: number
  readonly payerEmail: string
  readonly transactionId: string
  readonly status: string
}

/** An account's balance, rates and charges, as the account API shows them. */
export interface AccountBilling {
  /** The balance of an account, in 1/10,000 dollar. */
  balanceOf(accountSid: string): Promise<number>
  ratesOf(accountSid: string): Promise<AccountRates>
  /** The active monthly charges of an account, in 1/10,000 dollar. */
  recurringChargesOf(accountSid: string): Promise<readonly ShownCharge[]>
  /** The records of calls that started between two times in epoch seconds, newest first. */
  cdrsOf(
    account: Account,
    window: { readonly older: number; readonly newer: number },
    page: KeysetPage,
  ): Promise<UncountedPage<ShownCdr>>
  /** The credits of an account, newest first: paid, unpaid, or all when `isPaid` is undefined. */
  creditsOf(
    accountSid: string,
    isPaid: boolean | undefined,
    page: PageRequest,
  ): Promise<UncountedPage<ShownCredit>>
  /** The cash payments of an account, newest first. */
  paymentsOf(accountSid: string, page: PageRequest): Promise<UncountedPage<ShownPayment>>
  /** Sets rates of an account, in dollars; absent rates keep their value. */
  changeRates(accountSid: string, change: AccountRatesChange): Promise<void>
}

const NO_RATES: AccountRates = {
  fax: 0,
  sms: 0,
  mms: 0,
  tfAdj: 0,
  lrn: 0,
  nibble: 0,
  did: 0,
  cnam: 0,
  intlMax: 0,
}

const NONE = { items: [], nextAfter: undefined }

/** Billing of a server that charges nothing. */
export const NO_BILLING: AccountBilling = {
  balanceOf: () => Promise.resolve(0),
  ratesOf: () => Promise.resolve(NO_RATES),
  recurringChargesOf: () => Promise.resolve([]),
  cdrsOf: () => Promise.resolve(NONE),
  creditsOf: () => Promise.resolve(NONE),
  paymentsOf: () => Promise.resolve(NONE),
  changeRates: () => Promise.resolve(),
}

/** Converts 1/10,000 dollar to dollars, which both styles show. */
export function dollars(amount: number): number {
  return amount / 10_000
}
