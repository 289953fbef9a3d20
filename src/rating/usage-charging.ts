/** Charges for recordings and transcriptions; see docs/billing.md. */
import { billedAccount } from '../accounts/billed-account.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Reader, Writer } from '../platform/database/database.js'
import { EVERYBODY, ratesOf } from './account-rates.js'
import { costOf, DEFAULT_INCREMENT_SECONDS, MICROS_PER_UNIT } from './rate.js'

/** Chargeable usage other than calls; `at` in epoch milliseconds. */
export type Usage = {
  readonly sid: string
  readonly accountSid: string
  readonly at: number
} & (
  | { readonly kind: 'recording'; readonly seconds: number }
  | { readonly kind: 'transcription'; readonly recordingSid: string }
)

export interface UsageCharging {
  /**
   * Charges a usage in the transaction that completes it, once per sid. Resolves with its price in 1/10,000
   * dollar; undefined when no rate is set. Never refused for a low balance.
   */
  charge(tx: Writer, usage: Usage): Promise<number | undefined>
}

export function createUsageCharging(ledger: Pick<Ledger, 'post'>): UsageCharging {
  return {
    charge: async (tx, usage) => {
      const { accountSid, kind, sid } = usage
      const billedSid = await billedAccount(tx, accountSid)
      const rate = await findUsageRate(tx, kind, [accountSid, billedSid, EVERYBODY])
      if (rate === undefined) return undefined
      const price = priceOfUsage(rate, usage)
      if (price > 0)
        await ledger.post(tx, {
          key: `${kind}:${sid}`,
          accountSid,
          billedSid,
          cause: kind,
          reference: sid,
          amount: -price,
          description: descriptionOf(usage),
          at: usage.at,
        })
      return price
    },
  }
}

/** The price in 1/10,000 dollar; `rate` is in millionths of a dollar, per minute or per transcription. */
export function priceOfUsage(rate: number, usage: Usage): number {
  if (usage.kind === 'transcription') return Math.ceil(rate / MICROS_PER_UNIT)
  const steps = {
    minimumSeconds: DEFAULT_INCREMENT_SECONDS,
    incrementSeconds: DEFAULT_INCREMENT_SECONDS,
  }
  return costOf({ perMinute: rate, ...steps }, usage.seconds)
}

/** The rate of the first account that has one. */
async function findUsageRate(
  read: Reader,
  kind: Usage['kind'],
  owners: readonly string[],
): Promise<number | undefined> {
  const found = await ratesOf(read, owners)
  return owners.map((owner) => found.get(owner)?.[kind]).find((rate) => rate !== undefined)
}

function descriptionOf(usage: Usage): string {
  return usage.kind === 'recording'
    ? `Recording of ${usage.seconds} seconds`
    : `Transcription of the recording ${usage.recordingSid}`
}
