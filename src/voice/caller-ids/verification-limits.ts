/** The limits of verification calls: they ring at whatever number an account names. */
import type { Writer } from '../../platform/database/database.js'
import { TooManyVerificationsError } from './caller-id-errors.js'
import type { Verification } from './caller-id-record.js'

const HOUR_MS = 3_600_000
/** The verification calls of one account in an hour. */
const MAX_OF_ACCOUNT = 30
/** The verification calls to one number in an hour, whichever accounts make them. */
const MAX_TO_NUMBER = 5

/**
 * Counts a verification call in the transaction that stores it, so that no two take the same place.
 * Throws TooManyVerificationsError beyond a limit.
 */
export async function countVerification(tx: Writer, wanted: Verification): Promise<void> {
  const { accountSid, callSid, createdAt, phoneNumber } = wanted
  const since = createdAt - HOUR_MS
  await tx.deleteFrom('caller_id_attempts').where('created_at', '<', since).execute()
  if ((await attempts(tx, 'account_sid', accountSid)) >= MAX_OF_ACCOUNT)
    throw new TooManyVerificationsError(
      `The account has made ${String(MAX_OF_ACCOUNT)} verification calls in an hour: no more are allowed.`,
    )
  if ((await attempts(tx, 'phone_number', phoneNumber)) >= MAX_TO_NUMBER)
    throw new TooManyVerificationsError(
      `${phoneNumber} was called ${String(MAX_TO_NUMBER)} times in an hour to verify it: no more calls are allowed.`,
    )
  await tx
    .insertInto('caller_id_attempts')
    .values({
      call_sid: callSid,
      account_sid: accountSid,
      phone_number: phoneNumber,
      created_at: createdAt,
    })
    .execute()
}

async function attempts(
  tx: Writer,
  column: 'account_sid' | 'phone_number',
  value: string,
): Promise<number> {
  const { count } = await tx
    .selectFrom('caller_id_attempts')
    .where(column, '=', value)
    .select(({ fn }) => fn.countAll<number | bigint>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
