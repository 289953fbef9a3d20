/** What an account pays for each service, in dollars; `nibble` is the rate of a minute. */
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

/** A change of rates; an absent one stays as it is. */
export type AccountRatesChange = {
  readonly [Field in keyof AccountRates]?: number | undefined
}

/** The account's money, as the account API shows it. */
export interface AccountBilling {
  /** The balance of an account, in 1/10,000 dollar. */
  balanceOf(accountSid: string): Promise<number>
  ratesOf(accountSid: string): Promise<AccountRates>
  /** Sets rates of an account, in dollars; an absent one stays as it is. */
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

/** The billing of a server that charges nothing. */
export const NO_BILLING: AccountBilling = {
  balanceOf: () => Promise.resolve(0),
  ratesOf: () => Promise.resolve(NO_RATES),
  changeRates: () => Promise.resolve(),
}

/** An amount of 1/10,000 dollar as the decimal number that both styles show. */
export function dollars(amount: number): number {
  return amount / 10_000
}
