/** Links in mails: each opens one account for one purpose, works once, and expires. */
import { createHmac } from 'node:crypto'
import type { Reader, Writer } from '../platform/database/database.js'
import { sha256Hex, type Vault } from '../platform/secrets.js'
import type { LinkPurpose } from './link-tables.js'

/** Syntax of a token: 256 bits in base64url. */
export const LINK_TOKEN = /^[A-Za-z0-9_-]{43}$/

/** A new link; times in epoch milliseconds. */
export interface NewLink {
  readonly token: string
  readonly accountSid: string
  readonly purpose: LinkPurpose
  readonly createdAt: number
  readonly expiresAt: number
}

/**
 * Derives the token of a mail's link to an account. It depends only on the mail and the account, so a resent
 * mail has the same link.
 */
export function linkToken(
  vault: Pick<Vault, 'keyFor'>,
  mailId: string,
  accountSid: string,
): string {
  const key = vault.keyFor('account-links')
  return createHmac('sha256', key).update(`${mailId} ${accountSid}`).digest('base64url')
}

/** Stores a link; an existing one is unchanged, used or not. */
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

/** Number of links of an account created after a time, except the one with `token`. */
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

/** Resolves with the account of an unused, unexpired link; undefined when there is none. */
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

/** Marks a link as used; false when it was used already or has expired. */
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

/** Invalidates the unused links of an account. */
export async function withdrawLinks(tx: Writer, accountSid: string, now: number): Promise<void> {
  await tx
    .updateTable('account_links')
    .set({ usedAt: now })
    .where('accountSid', '=', accountSid)
    .where('usedAt', 'is', null)
    .execute()
}

/** Removes up to `limit` links that expired before a time. True when more may remain. */
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
