/** The links in mails: each opens one account for one purpose, once, and expires. */
import { createHmac } from 'node:crypto'
import type { Reader, Writer } from '../platform/database/database.js'
import { sha256Hex, type Vault } from '../platform/secrets.js'
import type { LinkPurpose } from './link-tables.js'

/** The form of a token: 256 bits. */
export const LINK_TOKEN = /^[A-Za-z0-9_-]{43}$/

/** A new link; times are epoch milliseconds. */
export interface NewLink {
  readonly token: string
  readonly accountSid: string
  readonly purpose: LinkPurpose
  readonly createdAt: number
  readonly expiresAt: number
}

/**
 * Makes the token of a mail's link to an account. It is always the same for one mail, so that a
 * mail that is sent again has the same link.
 */
export function linkToken(
  vault: Pick<Vault, 'keyFor'>,
  mailId: string,
  accountSid: string,
): string {
  const key = vault.keyFor('account-links')
  return createHmac('sha256', key).update(`${mailId} ${accountSid}`).digest('base64url')
}

/** Stores a link; one that is there already stays as it is, used or not. */
export async function insertLink(tx: Writer, link: NewLink): Promise<void> {
  const { token, accountSid, purpose, createdAt, expiresAt } = link
  await tx
    .insertInto('account_links')
    .values({
      tokenHash: sha256Hex(token),
      accountSid,
      purpose,
      createdAt,
      expiresAt,
      usedAt: null,
    })
    .onConflict((known) => known.column('tokenHash').doNothing())
    .execute()
}

/** Counts the links of an account that were made since a time, other than the one with `token`. */
export async function countLinks(
  read: Reader,
  { accountSid, purpose, token }: Pick<NewLink, 'accountSid' | 'purpose' | 'token'>,
  since: number,
): Promise<number> {
  const { count } = await read
    .selectFrom('account_links')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('accountSid', '=', accountSid)
    .where('purpose', '=', purpose)
    .where('createdAt', '>', since)
    .where('tokenHash', '<>', sha256Hex(token))
    .executeTakeFirstOrThrow()
  return count
}

/** Finds the account of a link that can be used now. */
export async function findLink(
  read: Reader,
  token: string,
  purpose: LinkPurpose,
  now: number,
): Promise<string | undefined> {
  if (!LINK_TOKEN.test(token)) return undefined
  const row = await read
    .selectFrom('account_links')
    .select('accountSid')
    .where('tokenHash', '=', sha256Hex(token))
    .where('purpose', '=', purpose)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row?.accountSid
}

/** Uses a link; resolves with false when another request has used it, or it has expired. */
export async function useLink(
  tx: Writer,
  token: string,
  purpose: LinkPurpose,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('account_links')
    .set({ usedAt: now })
    .where('tokenHash', '=', sha256Hex(token))
    .where('purpose', '=', purpose)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

/** Withdraws the links of an account that were not used. */
export async function withdrawLinks(tx: Writer, accountSid: string, now: number): Promise<void> {
  await tx
    .updateTable('account_links')
    .set({ usedAt: now })
    .where('accountSid', '=', accountSid)
    .where('usedAt', 'is', null)
    .execute()
}

/** Removes at most `limit` links that ended before a time. */
export async function removeOldLinks(tx: Writer, before: number, limit: number): Promise<boolean> {
  const old = await tx
    .selectFrom('account_links')
    .select('tokenHash')
    .where('expiresAt', '<', before)
    .orderBy('expiresAt')
    .limit(limit)
    .execute()
  const hashes = old.map((row) => row.tokenHash)
  if (hashes.length > 0)
    await tx.deleteFrom('account_links').where('tokenHash', 'in', hashes).execute()
  return old.length === limit
}
