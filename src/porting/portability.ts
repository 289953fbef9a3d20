/** Checks whether numbers can be ported to an account; carriers' answers are reused for an hour. */
import { findHeldNumber } from '../numbers/held-numbers.js'
import { linkAbort, withAbort } from '../platform/async/abort.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Reader } from '../platform/database/database.js'
import { AdapterError } from '../platform/errors.js'
import type { LosingCarrier, Portability } from './losing-carrier.js'
import { checksSince, type PortCheck, storeCheck } from './storage/port-checks.js'
import { openPortOf } from './storage/port-storage.js'

/** Validity of a check, ms. */
export const CHECK_VALID_MS = 3_600_000

/** The carrier of a number cannot be looked up at the moment. */
export class PortabilityUnknownError extends AdapterError {
  override readonly name = 'PortabilityUnknownError'
}

export interface CheckedNumber extends Portability {
  readonly e164: string
}

/** A number whose check failed for now. */
export interface UncheckedNumber {
  readonly e164: string
  readonly failure: PortabilityUnknownError
}

export interface PortabilityChecks {
  /** Rejects with PortabilityUnknownError while no answer is available. */
  check(accountSid: string, e164: string, signal: AbortSignal): Promise<CheckedNumber>
  /**
   * Checks numbers, in order. Numbers without an answer within the time limit are returned as unchecked; the
   * others are not affected.
   */
  checkAll(
    accountSid: string,
    e164s: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (CheckedNumber | UncheckedNumber)[]>
}

export interface PortabilityDeps {
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly carrier: Pick<LosingCarrier, 'portability'>
  /** Time limit for all numbers of one request, ms. */
  readonly allMs?: number
}

const ALL_MS = 20_000
/** The numbers of one request that carriers are asked about at once. */
const AT_ONCE = 8

export function createPortabilityChecks(deps: PortabilityDeps): PortabilityChecks {
  const check = async (accountSid: string, e164: string, signal: AbortSignal) => {
    const checked = await checkCarrier(e164, signal, deps)
    const conflict = await conflictOf(deps.db.read, accountSid, e164)
    return conflict === undefined ? checked : { ...checked, isPortable: false, reason: conflict }
  }
  return {
    check,
    checkAll: async (accountSid, e164s, signal) => {
      using limited = linkAbort([signal], { ms: deps.allMs ?? ALL_MS, reason: tooLate })
      return await mapLimited(e164s, AT_ONCE, async (e164) => {
        try {
          limited.signal.throwIfAborted()
          return await withAbort(check(accountSid, e164, limited.signal), limited.signal)
        } catch (failure) {
          if (!(failure instanceof PortabilityUnknownError)) throw failure
          return { e164, failure }
        }
      })
    },
  }
}

/** Maps items to results in their order, at most `limit` at once. Rejects as the first failure does. */
async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += limit)
    results.push(...(await Promise.all(items.slice(from, from + limit).map(work))))
  return results
}

const tooLate = () =>
  new PortabilityUnknownError('the carriers take too long to answer', { isRetryable: true })

/** The reason why this system cannot port a number to the account; undefined when there is none. */
export async function conflictOf(
  read: Reader,
  accountSid: string,
  e164: string,
): Promise<string | undefined> {
  const held = await findHeldNumber(read, e164)
  if (held !== undefined)
    return held.accountSid === accountSid
      ? 'The number is on your account already.'
      : 'The number is on this system already: ask the operator to move it.'
  const port = await openPortOf(read, e164)
  if (port === undefined) return undefined
  return port.accountSid === accountSid
    ? `The number is in your port ${port.pid}.`
    : 'The number is in a port of another account.'
}

async function checkCarrier(
  e164: string,
  signal: AbortSignal,
  { db, clock, carrier }: PortabilityDeps,
): Promise<PortCheck> {
  const now = clock.now()
  const known = (await checksSince(db.read, [e164], now - CHECK_VALID_MS)).get(e164)
  if (known !== undefined) return known
  let portability: Portability
  try {
    portability = await carrier.portability(e164, signal)
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error
    throw new PortabilityUnknownError(error.message, { cause: error, isRetryable: true })
  }
  const check = { ...portability, e164, checkedAt: clock.now() }
  await db.write((tx) => storeCheck(tx, check))
  return check
}
