/** The verified numbers of accounts. */
import type { Clock } from '../../platform/clock.js'
import type { Database, Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import { DomainError } from '../../platform/errors.js'
import { parseSid } from '../../platform/ids.js'
import type { CallerId } from './tables.js'

export interface CallerIdFilter {
  readonly phoneNumber?: string | undefined
  readonly friendlyName?: string | undefined
}

export interface CallerIdStore {
  list(accountSid: string, filter: CallerIdFilter, page: PageRequest): Promise<Page<CallerId>>
  /** Resolves with a caller ID. Rejects with CallerIdNotFoundError, as `rename` and `remove` do. */
  fetch(accountSid: string, sid: string): Promise<CallerId>
  rename(accountSid: string, sid: string, friendlyName: string): Promise<CallerId>
  remove(accountSid: string, sid: string): Promise<void>
  /** Deletes all caller IDs of an account. */
  removeAllOf(accountSid: string): Promise<void>
}

export function createCallerIdStore({
  db,
  clock,
}: {
  readonly db: Database
  readonly clock: Clock
}): CallerIdStore {
  const ofAccount = (accountSid: string) =>
    db.read.selectFrom('caller_ids').selectAll().where('accountSid', '=', accountSid)
  const fetch: CallerIdStore['fetch'] = async (accountSid, text) => {
    const row = await ofAccount(accountSid)
      .where('sid', '=', parseSid('PN', text) ?? '')
      .executeTakeFirst()
    if (row === undefined) throw new CallerIdNotFoundError(`there is no caller ID ${text}`)
    return row
  }
  return {
    list: async (accountSid, { phoneNumber, friendlyName }, request) => {
      let matching = ofAccount(accountSid)
      if (phoneNumber !== undefined) matching = matching.where('phoneNumber', '=', phoneNumber)
      if (friendlyName !== undefined) matching = matching.where('friendlyName', '=', friendlyName)
      return await listNewestFirst({ read: db.read, matching }, request)
    },
    fetch,
    rename: async (accountSid, text, friendlyName) => {
      const { sid } = await fetch(accountSid, text)
      const now = clock.now()
      await db.write((tx) =>
        tx
          .updateTable('caller_ids')
          .set({ friendlyName, updatedAt: now })
          .where('sid', '=', sid)
          .execute(),
      )
      return await fetch(accountSid, sid)
    },
    remove: async (accountSid, text) => {
      const { sid } = await fetch(accountSid, text)
      await db.write((tx) => tx.deleteFrom('caller_ids').where('sid', '=', sid).execute())
    },
    removeAllOf: async (accountSid) => {
      await db.write((tx) =>
        tx.deleteFrom('caller_ids').where('accountSid', '=', accountSid).execute(),
      )
    },
  }
}

class CallerIdNotFoundError extends DomainError {
  override readonly name = 'CallerIdNotFoundError'
  readonly code = 'caller-id-not-found'
}

/** The account has verified the number already. */
export class CallerIdExistsError extends DomainError {
  override readonly name = 'CallerIdExistsError'
  readonly code = 'caller-id-exists'
}

/** The account or the number has reached its limit of verification calls per hour. */
export class TooManyVerificationsError extends DomainError {
  override readonly name = 'TooManyVerificationsError'
  readonly code = 'too-many-verifications'
}

/** A verification call of the account to the number is in progress. */
export class VerificationUnderWayError extends DomainError {
  override readonly name = 'VerificationUnderWayError'
  readonly code = 'verification-under-way'
}

/** True when the account has verified the number. */
export async function isVerified(
  read: Reader,
  accountSid: string,
  phoneNumber: string,
): Promise<boolean> {
  const row = await read
    .selectFrom('caller_ids')
    .select('sid')
    .where('accountSid', '=', accountSid)
    .where('phoneNumber', '=', phoneNumber)
    .executeTakeFirst()
  return row !== undefined
}
