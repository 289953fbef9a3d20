import { billedAccount } from '../accounts/billed-account.js'
import { isAbroad } from '../destinations/phone-number.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { paidRatesOf } from './account-rates.js'
import { type CallTerms, DEFAULT_INCREMENT_SECONDS, type Rate } from './rate.js'
import { findRate, hasAnyRate } from './rates.js'

export type Verdict =
  /** No rate applies to the call: it is free. */
  | { readonly type: 'free' }
  | { readonly type: 'rated'; readonly terms: CallTerms }
  /** The rate of an international call exceeds the account's limit. */
  | { readonly type: 'too-expensive' }

export interface RatedCall {
  readonly accountSid: string
  readonly direction: 'inbound' | 'outbound'
  /** The called number in E.164; calls to other addresses are free. */
  readonly number: string
}

export interface RateBook {
  judge(call: RatedCall): Promise<Verdict>
  /** Must be called when this process has changed rates. */
  changed(): void
}

/** Maximum delay until a first rate of another node is seen, ms. */
const KEPT_MS = 2_000
const FREE: Verdict = { type: 'free' }
const TOLL_FREE = /^\+18(00|33|44|55|66|77|88)/
/**
 * Emergency numbers. Calls to them are never rated, so they are never refused or ended for lack of money.
 */
const EMERGENCY = /^\+?1?(911|933|112)$/

/** Returns a rate book. While no rate is configured, a call costs only one read of a cached flag. */
export function createRateBook({
  db,
  clock,
}: {
  readonly db: Database
  readonly clock: Pick<Clock, 'monotonic'>
}): RateBook {
  let known: { readonly hasRates: boolean; readonly until: number } | undefined
  const hasRates = async (): Promise<boolean> => {
    if (known !== undefined && known.until > clock.monotonic()) return known.hasRates
    const found = await hasAnyRate(db.read)
    known = { hasRates: found, until: clock.monotonic() + KEPT_MS }
    return found
  }
  return {
    judge: async (call) => {
      if (!call.number.startsWith('+') || EMERGENCY.test(call.number)) return FREE
      return (await hasRates()) ? await judgeByRates(db, call) : FREE
    },
    changed: () => {
      known = undefined
    },
  }
}

async function judgeByRates({ read }: Database, call: RatedCall): Promise<Verdict> {
  const { accountSid, direction, number } = call
  const billedSid = await billedAccount(read, accountSid)
  const byPrefix = await findRate(read, [...new Set([accountSid, billedSid])], direction, number)
  const own = await paidRatesOf(read, accountSid, billedSid)
  const rate = byPrefix ?? rateOfNibble(own.nibble)
  if (rate === undefined) return FREE
  const isForeign = direction === 'outbound' && isAbroad(number)
  if (isForeign && own.intlMax !== undefined && rate.perMinute > own.intlMax)
    return { type: 'too-expensive' }
  const isTollFree = direction === 'inbound' && TOLL_FREE.test(number)
  const perMinute = Math.max(0, rate.perMinute + (isTollFree ? (own.tfAdj ?? 0) : 0))
  return { type: 'rated', terms: { ...rate, perMinute, billedSid } }
}

function rateOfNibble(nibble: number | undefined): Rate | undefined {
  if (nibble === undefined) return undefined
  const seconds = DEFAULT_INCREMENT_SECONDS
  return { perMinute: nibble, minimumSeconds: seconds, incrementSeconds: seconds }
}
