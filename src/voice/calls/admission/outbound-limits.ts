/** Caps on an account's outbound calls, against fraud. */
import type { AccountSettings } from '../../../accounts/settings.js'
import { unitsOfDollars } from '../../../ledger/money.js'
import type { Reader } from '../../../platform/database/database.js'
import { CallLimitError } from '../../model/call-errors.js'
import type { CallRecord } from '../../model/call-record.js'

type Limits = Pick<AccountSettings, 'callsToOneNumber' | 'minutesPerDay' | 'dollarsPerDay'>

const DAY_MS = 86_400_000
const MINUTE_SECONDS = 60

/** The fields of a new call that the limits depend on. */
type LimitedCall = Pick<CallRecord, 'accountSid' | 'to' | 'createdAt' | 'terms'>

/** True when the account's calls must be counted before a new one is stored. */
export function hasOutboundLimits(limits: Limits): boolean {
  const { callsToOneNumber, minutesPerDay, dollarsPerDay } = limits
  return [callsToOneNumber, minutesPerDay, dollarsPerDay].some((limit) => limit !== undefined)
}

/**
 * Throws CallLimitError when another call of the account would exceed a limit. Must run in the transaction
 * that stores the call, so that concurrent calls are counted too.
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

/** A call without a rate is always allowed, since it costs nothing. */
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

/** Returns the number of calls in progress to the number; none is older than a day. */
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

/** Returns the seconds of outbound calls that began today, including calls in progress up to now. */
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
 * Returns the cost of outbound calls that began today, in 1/10,000 dollar: the prices of ended calls, plus
 * the reservations of calls in progress.
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
