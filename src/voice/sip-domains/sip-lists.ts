/** Credential lists and IP access control lists, which are mapped to SIP domains. */
import type { Clock } from '../../platform/clock.js'
import type { Database, Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import { newSid } from '../../platform/ids.js'
import {
  SipLimitError,
  SipListInUseError,
  SipNameTakenError,
  SipResourceNotFoundError,
} from './sip-domain-errors.js'
import type { SipList } from './tables.js'

export type SipListKind = SipList['kind']

/** The lists of one kind. Each method that takes a sid rejects with SipResourceNotFoundError. */
export interface SipLists {
  /** Creates a list. Rejects with SipNameTakenError, as `rename` does, and SipLimitError. */
  create(accountSid: string, friendlyName: string): Promise<SipList>
  fetch(accountSid: string, sid: string): Promise<SipList>
  list(accountSid: string, page: PageRequest): Promise<Page<SipList>>
  rename(accountSid: string, sid: string, friendlyName: string): Promise<SipList>
  /** Deletes a list with its entries. Rejects with SipListInUseError. */
  remove(accountSid: string, sid: string): Promise<void>
}

interface KindFacts {
  readonly prefix: 'CL' | 'AL'
  readonly nameTaken: SipNameTakenError['number']
  readonly inUse: SipListInUseError['number']
  readonly tooMany: SipLimitError['number']
  /** Maximum number of lists per account. */
  readonly max: number
  readonly entries: 'sip_credentials' | 'sip_addresses'
}

const KINDS: Readonly<Record<SipListKind, KindFacts>> = {
  credentials: {
    prefix: 'CL',
    nameTaken: 21240,
    inUse: 21241,
    tooMany: 21239,
    max: 100,
    entries: 'sip_credentials',
  },
  addresses: {
    prefix: 'AL',
    nameTaken: 21235,
    inUse: 21236,
    tooMany: 21237,
    max: 1_000,
    entries: 'sip_addresses',
  },
}

export interface SipListsDeps {
  readonly db: Database
  readonly clock: Clock
}

export function createSipLists(kind: SipListKind, { db, clock }: SipListsDeps): SipLists {
  const facts = KINDS[kind]
  return {
    create: async (accountSid, friendlyName) => {
      const now = clock.now()
      const sid = newSid(facts.prefix)
      const list = { sid, accountSid, kind, friendlyName, createdAt: now, updatedAt: now }
      await db.write((tx) => insertList(tx, list, facts))
      return list
    },
    fetch: (accountSid, sid) => fetchSipList(db.read, kind, accountSid, sid),
    list: async (accountSid, request) => {
      const matching = db.read
        .selectFrom('sip_lists')
        .selectAll()
        .where('accountSid', '=', accountSid)
        .where('kind', '=', kind)
      return await listNewestFirst({ read: db.read, matching }, request)
    },
    rename: (accountSid, sid, friendlyName) => {
      const now = clock.now()
      return db.write(async (tx) => {
        const list = await fetchSipList(tx, kind, accountSid, sid)
        await refuseTakenName(tx, { ...list, friendlyName }, facts)
        await tx
          .updateTable('sip_lists')
          .set({ friendlyName, updatedAt: now })
          .where('sid', '=', list.sid)
          .execute()
        return { ...list, friendlyName, updatedAt: now }
      })
    },
    remove: (accountSid, sid) =>
      db.write(async (tx) => {
        const list = await fetchSipList(tx, kind, accountSid, sid)
        await refuseMapped(tx, list.sid, facts)
        await tx.deleteFrom(facts.entries).where('listSid', '=', list.sid).execute()
        await tx.deleteFrom('sip_lists').where('sid', '=', list.sid).execute()
      }),
  }
}

/** Resolves with a list of the account. Rejects with SipResourceNotFoundError. */
export async function fetchSipList(
  read: Reader,
  kind: SipListKind,
  accountSid: string,
  sid: string,
): Promise<SipList> {
  const row = await read
    .selectFrom('sip_lists')
    .selectAll()
    .where('sid', '=', sid)
    .where('accountSid', '=', accountSid)
    .where('kind', '=', kind)
    .executeTakeFirst()
  if (row === undefined) throw new SipResourceNotFoundError(`there is no list ${sid}`)
  return row
}

async function insertList(tx: Reader, list: SipList, facts: KindFacts): Promise<void> {
  const { count } = await tx
    .selectFrom('sip_lists')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('accountSid', '=', list.accountSid)
    .where('kind', '=', list.kind)
    .executeTakeFirstOrThrow()
  if (count >= facts.max)
    throw new SipLimitError(facts.tooMany, `an account has at most ${facts.max} such lists`)
  const inserted = await tx
    .insertInto('sip_lists')
    .values({
      sid: list.sid,
      accountSid: list.accountSid,
      kind: list.kind,
      friendlyName: list.friendlyName,
      createdAt: list.createdAt,
      updatedAt: list.updatedAt,
    })
    .onConflict((conflict) => conflict.columns(['accountSid', 'kind', 'friendlyName']).doNothing())
    .executeTakeFirst()
  if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) throw nameTaken(list, facts)
}

async function refuseTakenName(tx: Reader, list: SipList, facts: KindFacts): Promise<void> {
  const other = await tx
    .selectFrom('sip_lists')
    .select('sid')
    .where('accountSid', '=', list.accountSid)
    .where('kind', '=', list.kind)
    .where('friendlyName', '=', list.friendlyName)
    .where('sid', '<>', list.sid)
    .executeTakeFirst()
  if (other !== undefined) throw nameTaken(list, facts)
}

function nameTaken({ friendlyName }: SipList, facts: KindFacts): SipNameTakenError {
  return new SipNameTakenError(facts.nameTaken, `a list named "${friendlyName}" exists already`)
}

async function refuseMapped(tx: Reader, sid: string, facts: KindFacts): Promise<void> {
  const mapping = await tx
    .selectFrom('sip_domain_mappings')
    .select('domainSid')
    .where('listSid', '=', sid)
    .limit(1)
    .executeTakeFirst()
  if (mapping !== undefined)
    throw new SipListInUseError(
      facts.inUse,
      `the list ${sid} is mapped to the SIP domain ${mapping.domainSid}`,
    )
}
