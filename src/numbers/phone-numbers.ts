import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import type { Selectable } from '../platform/database/tables.js'
import { DomainError } from '../platform/errors.js'
import type { WebhookMethod } from '../platform/http/http-method.js'
import { type AccountSid, newSid } from '../platform/ids.js'
import type { PhoneNumbersTable } from './tables.js'

/** A number of this system and the voice application that answers it. */
export interface PhoneNumber {
  readonly sid: string
  readonly accountSid: string
  readonly e164: string
  readonly voiceUrl: string | undefined
  readonly voiceMethod: WebhookMethod
  readonly voiceFallbackUrl: string | undefined
  readonly voiceFallbackMethod: WebhookMethod
  readonly statusCallback: string | undefined
  readonly statusCallbackMethod: WebhookMethod
}

export type NumberRouting = Omit<PhoneNumber, 'sid' | 'accountSid' | 'e164'>

export interface PhoneNumbers {
  find(e164: string): Promise<PhoneNumber | undefined>
  list(): Promise<readonly PhoneNumber[]>
  /**
   * Assigns the number to the account, or changes its voice routing. Rejects with NumberTakenError
   * when another account has it.
   */
  assign(accountSid: AccountSid, e164: string, routing: NumberRouting): Promise<PhoneNumber>
  /** Removes the number; resolves with false when it does not exist. */
  release(e164: string): Promise<boolean>
  /** Removes all numbers of an account. */
  releaseAllOf(accountSid: string): Promise<void>
}

export class NumberTakenError extends DomainError {
  override readonly name = 'NumberTakenError'
  readonly code = 'number-taken'
}

export function createPhoneNumbers(deps: { db: Database; clock: Clock }): PhoneNumbers {
  const { db, clock } = deps
  return {
    find: async (e164) => {
      const row = await db.read
        .selectFrom('phone_numbers')
        .selectAll()
        .where('phone_number', '=', e164)
        .executeTakeFirst()
      return row === undefined ? undefined : toPhoneNumber(row)
    },
    list: async () => {
      const rows = await db.read
        .selectFrom('phone_numbers')
        .selectAll()
        .orderBy('phone_number')
        .execute()
      return rows.map(toPhoneNumber)
    },
    assign: (accountSid, e164, routing) =>
      db.write((tx) => assignNumber(tx, { accountSid, e164, routing, now: clock.now() })),
    release: async (e164) => {
      const result = await db.write((tx) =>
        tx.deleteFrom('phone_numbers').where('phone_number', '=', e164).executeTakeFirst(),
      )
      return result.numDeletedRows > 0n
    },
    releaseAllOf: async (accountSid) => {
      await db.write((tx) =>
        tx.deleteFrom('phone_numbers').where('account_sid', '=', accountSid).execute(),
      )
    },
  }
}

async function assignNumber(
  tx: Writer,
  wanted: { accountSid: AccountSid; e164: string; routing: NumberRouting; now: number },
): Promise<PhoneNumber> {
  const { accountSid, e164, routing, now } = wanted
  const columns = {
    voice_url: routing.voiceUrl ?? null,
    voice_method: routing.voiceMethod,
    voice_fallback_url: routing.voiceFallbackUrl ?? null,
    voice_fallback_method: routing.voiceFallbackMethod,
    status_callback: routing.statusCallback ?? null,
    status_callback_method: routing.statusCallbackMethod,
    updated_at: now,
  }
  const owned = await tx
    .selectFrom('phone_numbers')
    .select(['sid', 'account_sid'])
    .where('phone_number', '=', e164)
    .executeTakeFirst()
  if (owned === undefined) {
    const sid = newSid('PN')
    await tx
      .insertInto('phone_numbers')
      .values({ sid, account_sid: accountSid, phone_number: e164, created_at: now, ...columns })
      .execute()
    return { sid, accountSid, e164, ...routing }
  }
  if (owned.account_sid !== accountSid)
    throw new NumberTakenError(`${e164} belongs to another account`)
  await tx.updateTable('phone_numbers').set(columns).where('sid', '=', owned.sid).execute()
  return { sid: owned.sid, accountSid, e164, ...routing }
}

function toPhoneNumber(row: Selectable<PhoneNumbersTable>): PhoneNumber {
  return {
    sid: row.sid,
    accountSid: row.account_sid,
    e164: row.phone_number,
    voiceUrl: row.voice_url ?? undefined,
    voiceMethod: row.voice_method,
    voiceFallbackUrl: row.voice_fallback_url ?? undefined,
    voiceFallbackMethod: row.voice_fallback_method,
    statusCallback: row.status_callback ?? undefined,
    statusCallbackMethod: row.status_callback_method,
  }
}
