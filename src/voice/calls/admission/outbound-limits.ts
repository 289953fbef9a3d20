/** The limits against fraud: what an account's calls to the outside may come to. */
import type { AccountSettings } from '../../../accounts/settings.js'
import { unitsOfDollars } from '../../../ledger/money.js'
import type { Reader } from '../../../platform/database/database.js'
import { CallLimitError } from '../../model/call-errors.js'
import type { CallRecord } from '../../model/call-record.js'

type Limits = Pick<AccountSettings, 'callsToOneNumber' | 'minutesPerDay' | 'dollarsPerDay'>

const DAY_MS = 86_400_000
const MINUTE_SECONDS = 60

/** What is counted by, of a call that is to be made. */
type LimitedCall = Pick<CallRecord, 'accountSid' | 'to' | 'createdAt' | 'terms'>

/** True when a call of the account has to be counted before it is stored. */
export function hasOutboundLimits(limits: Limits): boolean {
  const { callsToOneNumber, minutesPerDay, dollarsPerDay } = limits
  return [callsToOneNumber, minutesPerDay, dollarsPerDay].some((limit) => limit !== undefined)
}

/**
 * Throws CallLimitError when another call of the account would pass a limit. Of a call that is
 * stored it counts in that transaction, so that no two calls take the same place.
 */
export async function checkOutboundLimits(
  read: Reader,
  call: LimitedCall,
  { callsToOneNumber, minutesPerDay, dollarsPerDay }: Limits,
): Promise<void> {
  const { createdAt: now } = call
  if (callsToOneNumber !== undefined && (await callsTo(read, call, now)) >= callsToOneNumber)
    throw new CallLimitError(
      `The account has ${String(callsToOneNumber)} calls to ${call.to} at once: no more are allowed.`,
    )
  if (minutesPerDay !== undefined) await checkMinutes(read, call, minutesPerDay)
  if (dollarsPerDay !== undefined) await checkDollars(read, call, dollarsPerDay)
}

async function checkMinutes(
  read: Reader,
  { accountSid, createdAt }: LimitedCall,
  minutes: number,
): Promise<void> {
  if ((await secondsToday(read, accountSid, createdAt)) < minutes * MINUTE_SECONDS) return
  throw new CallLimitError(
    `The account's outbound calls have lasted ${String(minutes)} minutes today (UTC), as long as they may.`,
  )
}

/** A call without a rate costs nothing, whatever the others have cost. */
async function checkDollars(
  read: Reader,
  { accountSid, createdAt, terms }: LimitedCall,
  dollars: number,
): Promise<void> {
  if (terms === undefined || terms.perMinute === 0) return
  const units = unitsOfDollars(dollars) ?? 0
  if ((await unitsToday(read, accountSid, createdAt)) < units) return
  throw new CallLimitError(
    `The account's outbound calls have cost ${String(dollars)} dollars today (UTC), as much as they may.`,
  )
}

/** The calls to the number that are under way; none is older than a day. */
async function callsTo(
  read: Reader,
  { accountSid, to }: LimitedCall,
  now: number,
): Promise<number> {
  const { calls } = await read
    .selectFrom('calls')
    .where('accountSid', '=', accountSid)
    .where('toAddress', '=', to)
    .where('createdAt', '>', now - DAY_MS)
    .where('endedAt', 'is', null)
    .where('direction', '<>', 'inbound')
    .select(({ fn }) => fn.countAll<number | bigint>().as('calls'))
    .executeTakeFirstOrThrow()
  return Number(calls)
}

/** The seconds of outbound calls that began today, those under way as far as they have come. */
async function secondsToday(read: Reader, accountSid: string, now: number): Promise<number> {
  const outbound = read
    .selectFrom('calls')
    .where('accountSid', '=', accountSid)
    .where('createdAt', '>=', now - (now % DAY_MS))
    .where('direction', '<>', 'inbound')
  const ended = await outbound
    .where('durationSeconds', 'is not', null)
    .select(({ fn }) => fn.sum<number | string | null>('durationSeconds').as('seconds'))
    .executeTakeFirstOrThrow()
  const live = await outbound
    .where('endedAt', 'is', null)
    .where('answeredAt', 'is not', null)
    .select(({ fn }) => [
      fn.countAll<number | bigint>().as('calls'),
      fn.sum<number | string | null>('answeredAt').as('answered'),
    ])
    .executeTakeFirstOrThrow()
  const liveMs = Number(live.calls) * now - Number(live.answered ?? 0)
  return Number(ended.seconds ?? 0) + Math.floor(liveMs / 1_000)
}

/**
 * The cost of outbound calls that began today, in 1/10,000 dollar: the prices of those that have ended,
 * and what is reserved for those under way.
 */
async function unitsToday(read: Reader, accountSid: string, now: number): Promise<number> {
  const outbound = read
    .selectFrom('calls')
    .where('calls.accountSid', '=', accountSid)
    .where('calls.createdAt', '>=', now - (now % DAY_MS))
    .where('calls.direction', '<>', 'inbound')
  const ended = await outbound
    .where('calls.price', 'is not', null)
    .select(({ fn }) => fn.sum<number | string | null>('calls.price').as('units'))
    .executeTakeFirstOrThrow()
  const held = await outbound
    .where('calls.endedAt', 'is', null)
    .innerJoin('ledger_reservations', 'ledger_reservations.reference', 'calls.sid')
    .select(({ fn }) => fn.sum<number | string | null>('ledger_reservations.amount').as('units'))
    .executeTakeFirstOrThrow()
  return Number(ended.units ?? 0) + Number(held.units ?? 0)
}
