/** Credentials of credential lists. The digest hashes are stored, never the password. */
import type { Clock } from '../../platform/clock.js'
import { readOnce } from '../../platform/database/compiled-once.js'
import type { Database, Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import type { Selectable } from '../../platform/database/tables.js'
import { newSid } from '../../platform/ids.js'
import type { Vault } from '../../platform/secrets.js'
import { type DigestAlgorithm, hashSecret } from '../../platform/sip-digest/digest.js'
import { SipLimitError, SipNameTakenError, SipResourceNotFoundError } from './sip-domain-errors.js'
import { fetchSipList } from './sip-lists.js'
import type { SipCredentialsTable } from './tables.js'

/**
 * The realm of every challenge. H(A1) contains the realm, and a list may be mapped to several
 * domains, so all domains share one. It must not change: stored hashes would become invalid.
 */
export const DIGEST_REALM = 'trunkline'

export type SipCredential = Omit<Selectable<SipCredentialsTable>, 'md5Sealed' | 'sha256Sealed'>

/** Each method that takes a sid rejects with SipResourceNotFoundError. */
export interface SipCredentials {
  /** Adds a credential. Rejects with SipNameTakenError and SipLimitError. */
  create(
    accountSid: string,
    listSid: string,
    wanted: { readonly username: string; readonly password: string },
  ): Promise<SipCredential>
  fetch(accountSid: string, listSid: string, sid: string): Promise<SipCredential>
  list(accountSid: string, listSid: string, page: PageRequest): Promise<Page<SipCredential>>
  /** Changes the password. */
  update(
    accountSid: string,
    listSid: string,
    sid: string,
    password: string | undefined,
  ): Promise<SipCredential>
  remove(accountSid: string, listSid: string, sid: string): Promise<void>
  /** Returns H(A1) of a user name: one for each list mapped to the domain for the purpose. */
  secretsOf(
    domainSid: string,
    purpose: 'calls' | 'registrations',
    username: string,
    algorithm: DigestAlgorithm,
  ): Promise<readonly string[]>
}

/** Maximum number of credentials per list (documented). */
const MAX_CREDENTIALS = 1_000

export interface SipCredentialsDeps {
  readonly db: Database
  readonly clock: Clock
  readonly vault: Vault
}

export function createSipCredentials(deps: SipCredentialsDeps): SipCredentials {
  const { db, clock, vault } = deps
  return {
    create: async (accountSid, listSid, { username, password }) => {
      const now = clock.now()
      const row = {
        sid: newSid('CR'),
        accountSid,
        listSid,
        username,
        ...sealedHashes(username, password, vault),
        createdAt: now,
        updatedAt: now,
      }
      await db.write((tx) => insertCredential(tx, row))
      return toSipCredential(row)
    },
    fetch: (...of) => fetchCredential(db.read, ...of),
    list: async (accountSid, listSid, request) => {
      await fetchSipList(db.read, 'credentials', accountSid, listSid)
      const matching = db.read
        .selectFrom('sip_credentials')
        .selectAll()
        .where('listSid', '=', listSid)
      const page = await listNewestFirst({ read: db.read, matching }, request)
      return { ...page, items: page.items.map(toSipCredential) }
    },
    update: (accountSid, listSid, sid, password) => {
      const now = clock.now()
      return db.write(async (tx) => {
        const credential = await fetchCredential(tx, accountSid, listSid, sid)
        if (password === undefined) return credential
        await tx
          .updateTable('sip_credentials')
          .set({ ...sealedHashes(credential.username, password, vault), updatedAt: now })
          .where('sid', '=', credential.sid)
          .execute()
        return { ...credential, updatedAt: now }
      })
    },
    remove: (accountSid, listSid, sid) =>
      db.write(async (tx) => {
        const credential = await fetchCredential(tx, accountSid, listSid, sid)
        await tx.deleteFrom('sip_credentials').where('sid', '=', credential.sid).execute()
      }),
    secretsOf: (...of) => secretsOf(deps, ...of),
  }
}

type User = Readonly<Record<'domainSid' | 'username', string>> &
  Readonly<Record<'purpose', 'calls' | 'registrations'>>

const sealedOf = readOnce(
  ['domainSid', 'purpose', 'username'],
  (db, { domainSid, purpose, username }: User) =>
    db
      .selectFrom('sip_domain_mappings')
      .innerJoin('sip_credentials', 'sip_credentials.listSid', 'sip_domain_mappings.listSid')
      .select(['sip_credentials.md5Sealed', 'sip_credentials.sha256Sealed'])
      .where('sip_domain_mappings.domainSid', '=', domainSid)
      .where('sip_domain_mappings.purpose', '=', purpose)
      .where('sip_credentials.username', '=', username),
)

async function secretsOf(
  { db, vault }: SipCredentialsDeps,
  domainSid: string,
  purpose: 'calls' | 'registrations',
  username: string,
  algorithm: DigestAlgorithm,
): Promise<readonly string[]> {
  const rows = await sealedOf(db.read, { domainSid, purpose, username })
  return rows.map((row) => vault.open(algorithm === 'MD5' ? row.md5Sealed : row.sha256Sealed))
}

function sealedHashes(username: string, password: string, vault: Vault) {
  const sealed = (algorithm: DigestAlgorithm) =>
    vault.seal(hashSecret(algorithm, username, DIGEST_REALM, password))
  return { md5Sealed: sealed('MD5'), sha256Sealed: sealed('SHA-256') }
}

async function insertCredential(tx: Reader, row: Selectable<SipCredentialsTable>): Promise<void> {
  await fetchSipList(tx, 'credentials', row.accountSid, row.listSid)
  const { count } = await tx
    .selectFrom('sip_credentials')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('listSid', '=', row.listSid)
    .executeTakeFirstOrThrow()
  if (count >= MAX_CREDENTIALS)
    throw new SipLimitError(21242, `a list has at most ${MAX_CREDENTIALS} credentials`)
  const inserted = await tx
    .insertInto('sip_credentials')
    .values(row)
    .onConflict((conflict) => conflict.columns(['listSid', 'username']).doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n)
    throw new SipNameTakenError(21243, `the list has a credential for "${row.username}" already`)
}

async function fetchCredential(
  read: Reader,
  accountSid: string,
  listSid: string,
  sid: string,
): Promise<SipCredential> {
  const row = await read
    .selectFrom('sip_credentials')
    .selectAll()
    .where('sid', '=', sid)
    .where('listSid', '=', listSid)
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  if (row === undefined) throw new SipResourceNotFoundError(`there is no credential ${sid}`)
  return toSipCredential(row)
}

function toSipCredential({
  md5Sealed: _md5,
  sha256Sealed: _sha256,
  ...credential
}: Selectable<SipCredentialsTable>): SipCredential {
  return credential
}
