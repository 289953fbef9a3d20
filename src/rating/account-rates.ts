/** The rate fields of accounts, and the defaults for accounts without their own. */
import type { Reader, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import { MICROS_PER_DOLLAR } from './rate.js'
import { findRate } from './rates.js'
import type { AccountRatesTable } from './tables.js'

/** Field names on the private listener, with their columns. */
const COLUMNS = {
  fax: 'fax',
  sms: 'sms',
  mms: 'mms',
  tfAdj: 'tfAdj',
  lrn: 'lrn',
  nibble: 'nibble',
  did: 'did',
  cnam: 'cnam',
  intlMax: 'intlMax',
  recording: 'recording',
  transcription: 'transcription',
} as const

export type RateField = keyof typeof COLUMNS
export const RATE_FIELDS = Object.keys(COLUMNS) as readonly RateField[] // its own keys

/** Fields with a default for accounts without their own. */
export const DEFAULT_RATE_FIELDS = ['recording', 'transcription'] as const
/** The fields that the account API shows. */
export type ShownRateField = Exclude<RateField, (typeof DEFAULT_RATE_FIELDS)[number]>
const SHOWN_RATE_FIELDS = RATE_FIELDS.filter(isShown)
/** Owner of the default rates. */
export const EVERYBODY = ''

/**
 * Rates in millionths of a dollar; undefined when unset. `nibble`: per minute of calls without a prefix rate.
 * `tfAdj`: surcharge per minute of toll-free calls. `intlMax`: maximum rate of international calls.
 * `recording`: per recorded minute. `transcription`: per transcription.
 */
export type AccountRates = Readonly<Record<RateField, number | undefined>>

/** A change: absent fields are unchanged, null clears a field. */
export type AccountRatesChange = Readonly<Partial<Record<RateField, number | null>>>

export async function accountRatesOf(read: Reader, accountSid: string): Promise<AccountRates> {
  return (await ratesOf(read, [accountSid])).get(accountSid) ?? toRates(undefined)
}

/** Rates that apply to an account: its own, else those of its paying account `billedSid`. */
export async function paidRatesOf(
  read: Reader,
  accountSid: string,
  billedSid: string,
): Promise<AccountRates> {
  const all = await ratesOf(read, [accountSid, billedSid])
  const [own, masters] = [accountSid, billedSid].map((sid) => all.get(sid))
  const entries = RATE_FIELDS.map((field) => [field, own?.[field] ?? masters?.[field]])
  return Object.fromEntries(entries) as AccountRates // one entry per field
}

/** The rates by account; accounts without rates are absent. */
export async function ratesOf(
  read: Reader,
  accountSids: readonly string[],
): Promise<ReadonlyMap<string, AccountRates>> {
  const rows = await read
    .selectFrom('account_rates')
    .selectAll()
    .where('accountSid', 'in', [...new Set(accountSids)])
    .execute()
  return new Map(rows.map((row) => [row.accountSid, toRates(row)]))
}

/** The rates in dollars for the account API; 0 for unset fields. */
export function ratesInDollars(rates: AccountRates): Record<ShownRateField, number> {
  const entries = SHOWN_RATE_FIELDS.map((field) => [field, (rates[field] ?? 0) / MICROS_PER_DOLLAR])
  return Object.fromEntries(entries) as Record<ShownRateField, number> // one entry per field
}

export async function changeAccountRates(
  tx: Writer,
  accountSid: string,
  change: AccountRatesChange,
  now: number,
): Promise<AccountRates> {
  const changed = Object.fromEntries(
    RATE_FIELDS.flatMap((field) =>
      change[field] === undefined ? [] : [[COLUMNS[field], change[field]]],
    ),
  ) as Partial<Omit<Selectable<AccountRatesTable>, 'accountSid'>> // the columns of its fields
  const row = await tx
    .insertInto('account_rates')
    .values({ accountSid, updatedAt: now, ...changed })
    .onConflict((known) => known.column('accountSid').doUpdateSet({ ...changed, updatedAt: now }))
    .returningAll()
    .executeTakeFirst()
  return toRates(row)
}

function toRates(row: Selectable<AccountRatesTable> | undefined): AccountRates {
  const entries = RATE_FIELDS.map((field) => [field, row?.[COLUMNS[field]] ?? undefined])
  return Object.fromEntries(entries) as AccountRates // one entry per field
}

/** Converts rates in dollars to a change in millionths of a dollar, rounded. */
export function microsOfRates(
  dollars: Readonly<Partial<Record<RateField, number | undefined>>>,
): AccountRatesChange {
  const entries = RATE_FIELDS.flatMap((field) => {
    const rate = dollars[field]
    return rate === undefined ? [] : [[field, Math.round(rate * MICROS_PER_DOLLAR)]]
  })
  return Object.fromEntries(entries) as AccountRatesChange // some of its fields
}

function isShown(field: RateField): field is ShownRateField {
  return !DEFAULT_RATE_FIELDS.some((each) => each === field)
}

/**
 * Rate of a message segment in millionths of a dollar: that of the longest matching prefix, as for calls,
 * else the account's `sms` or `mms` rate; 0 when unset.
 */
export async function messageRate(
  read: Reader,
  message: {
    readonly accountSid: string
    readonly billedSid: string
    readonly kind: 'sms' | 'mms'
    readonly to: string
  },
): Promise<number> {
  const { accountSid, billedSid, kind, to } = message
  const byPrefix = await findRate(read, [...new Set([accountSid, billedSid])], kind, to)
  if (byPrefix !== undefined) return byPrefix.perMinute
  const { [kind]: flat } = await paidRatesOf(read, accountSid, billedSid)
  return flat ?? 0
}
