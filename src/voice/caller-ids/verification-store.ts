/** Verification calls in progress. Each ends once, with one callback. */

import type { Clock } from '../../platform/clock.js'
import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Database, Writer } from '../../platform/database/database.js'
import { newSid } from '../../platform/ids.js'
import type { CallbackOutbox, NewCallback } from '../../platform/outbox/callback.js'
import { toVerification, type Verification } from './caller-id-record.js'
import {
  CallerIdExistsError,
  isVerified,
  TooManyVerificationsError,
  VerificationUnderWayError,
} from './caller-id-store.js'

export interface VerificationStore {
  /** Finds the verification in progress of a call. */
  pending(callSid: string): Promise<Verification | undefined>
  /** Lists all verifications in progress, or those of one number of an account. */
  allPending(of?: {
    readonly accountSid: string
    readonly phoneNumber: string
  }): Promise<readonly Verification[]>
  /**
   * Stores the number as a caller ID of its account and queues the callback. Resolves with false
   * when the verification has ended already.
   */
  succeed(verification: Verification, told: (callerIdSid: string) => Told): Promise<boolean>
  /** Ends a verification without success; does nothing for one that has ended. */
  fail(verification: Verification, told: Told): Promise<void>
}

type Told = NewCallback | undefined

const HOUR_MS = 3_600_000
/** Maximum number of verification calls per account and hour. */
const MAX_OF_ACCOUNT = 30
/** Maximum number of verification calls to one number per hour, from all accounts. */
const MAX_TO_NUMBER = 5

export function createVerificationStore(deps: {
  readonly db: Database
  readonly clock: Clock
  readonly outbox: CallbackOutbox
}): VerificationStore {
  const { db, clock, outbox } = deps
  const allPending = () => db.read.selectFrom('caller_id_verifications').selectAll()
  return {
    pending: async (callSid) => {
      const row = await allPending().where('callSid', '=', callSid).executeTakeFirst()
      return row && toVerification(row)
    },
    allPending: async (of) => {
      const rows =
        of === undefined
          ? allPending()
          : allPending()
              .where('accountSid', '=', of.accountSid)
              .where('phoneNumber', '=', of.phoneNumber)
      return (await rows.execute()).map(toVerification)
    },
    succeed: (verification, told) => {
      const [sid, now] = [newSid('PN'), clock.now()]
      return outbox.commit(async (tx, enqueue) => {
        if (!(await end(tx, verification))) return false
        const callback = told(await keepCallerId(tx, verification, sid, now))
        if (callback !== undefined) await enqueue([callback])
        return true
      })
    },
    fail: (verification, told) =>
      outbox.commit(async (tx, enqueue) => {
        if ((await end(tx, verification)) && told !== undefined) await enqueue([told])
      }),
  }
}

/**
 * Stores a new verification. Throws CallerIdExistsError for a number that the account has verified,
 * VerificationUnderWayError while another call to the number is under way, and
 * TooManyVerificationsError.
 */
export async function insertVerification(tx: Writer, wanted: Verification): Promise<void> {
  const { accountSid, phoneNumber, callback } = wanted
  if (await isVerified(tx, accountSid, phoneNumber))
    throw new CallerIdExistsError(`${phoneNumber} is already validated on your account`)
  await countVerification(tx, wanted)
  const inserted = await tx
    .insertInto('caller_id_verifications')
    .values({
      callSid: wanted.callSid,
      accountSid,
      phoneNumber,
      friendlyName: wanted.friendlyName,
      codeSealed: wanted.sealedCode,
      statusCallback: urlAtRest(callback?.url),
      statusCallbackMethod: callback?.method ?? 'POST',
      createdAt: wanted.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n)
    throw new VerificationUnderWayError(`a verification call to ${phoneNumber} is under way`)
}

/**
 * Counts a verification call in the transaction that stores it, so that concurrent calls cannot
 * exceed a limit. Throws TooManyVerificationsError at a limit.
 */
async function countVerification(tx: Writer, wanted: Verification): Promise<void> {
  const { accountSid, callSid, createdAt, phoneNumber } = wanted
  const since = createdAt - HOUR_MS
  await tx.deleteFrom('caller_id_attempts').where('createdAt', '<', since).execute()
  if ((await attempts(tx, 'accountSid', accountSid)) >= MAX_OF_ACCOUNT)
    throw new TooManyVerificationsError(
      `The account has made ${String(MAX_OF_ACCOUNT)} verification calls in an hour: no more are allowed.`,
    )
  if ((await attempts(tx, 'phoneNumber', phoneNumber)) >= MAX_TO_NUMBER)
    throw new TooManyVerificationsError(
      `${phoneNumber} was called ${String(MAX_TO_NUMBER)} times in an hour to verify it: no more calls are allowed.`,
    )
  await tx
    .insertInto('caller_id_attempts')
    .values({
      callSid,
      accountSid,
      phoneNumber,
      createdAt,
    })
    .execute()
}

async function attempts(
  tx: Writer,
  column: 'accountSid' | 'phoneNumber',
  value: string,
): Promise<number> {
  const { count } = await tx
    .selectFrom('caller_id_attempts')
    .where(column, '=', value)
    .select(({ fn }) => fn.countAll<number | bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Ends a verification; false when it has ended already. */
async function end(tx: Writer, { callSid }: Verification): Promise<boolean> {
  const ended = await tx
    .deleteFrom('caller_id_verifications')
    .where('callSid', '=', callSid)
    .executeTakeFirst()
  return ended.numDeletedRows > 0n
}

/** Stores the caller ID under `sid` unless the number has one; resolves with the stored sid. */
async function keepCallerId(
  tx: Writer,
  { accountSid, phoneNumber, friendlyName }: Verification,
  sid: string,
  now: number,
): Promise<string> {
  await tx
    .insertInto('caller_ids')
    .values({
      sid,
      accountSid,
      phoneNumber,
      friendlyName,
      createdAt: now,
      updatedAt: now,
    })
    .onConflict((conflict) => conflict.columns(['accountSid', 'phoneNumber']).doNothing())
    .execute()
  const row = await tx
    .selectFrom('caller_ids')
    .select('sid')
    .where('accountSid', '=', accountSid)
    .where('phoneNumber', '=', phoneNumber)
    .executeTakeFirstOrThrow()
  return row.sid
}
