/** Mappings of lists to SIP domains: the credentials and addresses that a domain accepts. */
import type { Clock } from '../../platform/clock.js'
import type { Database, Reader } from '../../platform/database/database.js'
import { SipListMappedError, SipResourceNotFoundError } from './sip-domain-errors.js'
import { fetchSipList, type SipListKind } from './sip-lists.js'
import type { SipDomainMappingsTable } from './tables.js'

export type MappingPurpose = SipDomainMappingsTable['purpose']

/** A mapping of a list; it has the sid and the name of the list. */
export interface SipMapping {
  readonly sid: string
  readonly accountSid: string
  readonly domainSid: string
  readonly friendlyName: string
  readonly createdAt: number
}

/** Where lists are mapped: a domain, a purpose, and one kind of list. */
export interface MappingPlace {
  readonly accountSid: string
  readonly domainSid: string
  readonly kind: SipListKind
  readonly purpose: MappingPurpose
}

/** Each method rejects with SipResourceNotFoundError when the domain or the list does not exist. */
export interface SipMappings {
  /** Maps a list. Rejects with SipListMappedError. */
  create(place: MappingPlace, listSid: string): Promise<SipMapping>
  fetch(place: MappingPlace, listSid: string): Promise<SipMapping>
  list(place: MappingPlace): Promise<readonly SipMapping[]>
  remove(place: MappingPlace, listSid: string): Promise<void>
  /** Returns the kinds of lists mapped for calls, by domain. */
  authTypesOf(domainSids: readonly string[]): Promise<ReadonlyMap<string, ReadonlySet<SipListKind>>>
}

export interface SipMappingsDeps {
  readonly db: Database
  readonly clock: Clock
}

export function createSipMappings({ db, clock }: SipMappingsDeps): SipMappings {
  return {
    create: async (place, listSid) => {
      const { accountSid, domainSid, purpose } = place
      const now = clock.now()
      return db.write(async (tx) => {
        await checkDomain(tx, place)
        const list = await fetchSipList(tx, place.kind, accountSid, listSid)
        const inserted = await tx
          .insertInto('sip_domain_mappings')
          .values({
            domainSid,
            purpose,
            listSid: list.sid,
            accountSid,
            createdAt: now,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n)
          throw new SipListMappedError(`the list ${listSid} is mapped to the domain already`)
        const { friendlyName } = list
        return { sid: list.sid, accountSid, domainSid, friendlyName, createdAt: now }
      })
    },
    fetch: (place, listSid) => fetchMapping(db.read, place, listSid),
    list: async (place) => {
      await checkDomain(db.read, place)
      return mappingsAt(db.read, place)
    },
    remove: (place, listSid) =>
      db.write(async (tx) => {
        const { sid } = await fetchMapping(tx, place, listSid)
        await tx
          .deleteFrom('sip_domain_mappings')
          .where('domainSid', '=', place.domainSid)
          .where('purpose', '=', place.purpose)
          .where('listSid', '=', sid)
          .execute()
      }),
    authTypesOf: (domainSids) => authTypesOf(db.read, domainSids),
  }
}

async function checkDomain(read: Reader, { accountSid, domainSid }: MappingPlace): Promise<void> {
  const row = await read
    .selectFrom('sip_domains')
    .select('sid')
    .where('sid', '=', domainSid)
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  if (row === undefined) throw new SipResourceNotFoundError(`there is no SIP domain ${domainSid}`)
}

async function mappingsAt(read: Reader, place: MappingPlace): Promise<readonly SipMapping[]> {
  const rows = await read
    .selectFrom('sip_domain_mappings')
    .innerJoin('sip_lists', 'sip_lists.sid', 'sip_domain_mappings.listSid')
    .select(['sip_lists.sid', 'sip_lists.friendlyName', 'sip_domain_mappings.createdAt'])
    .where('sip_domain_mappings.domainSid', '=', place.domainSid)
    .where('sip_domain_mappings.accountSid', '=', place.accountSid)
    .where('sip_domain_mappings.purpose', '=', place.purpose)
    .where('sip_lists.kind', '=', place.kind)
    .execute()
  return rows.map((row) => ({
    sid: row.sid,
    accountSid: place.accountSid,
    domainSid: place.domainSid,
    friendlyName: row.friendlyName,
    createdAt: row.createdAt,
  }))
}

async function fetchMapping(
  read: Reader,
  place: MappingPlace,
  listSid: string,
): Promise<SipMapping> {
  const found = (await mappingsAt(read, place)).find(({ sid }) => sid === listSid)
  if (found === undefined) throw new SipResourceNotFoundError(`the list ${listSid} is not mapped`)
  return found
}

async function authTypesOf(
  read: Reader,
  domainSids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<SipListKind>>> {
  if (domainSids.length === 0) return new Map()
  const rows = await read
    .selectFrom('sip_domain_mappings')
    .innerJoin('sip_lists', 'sip_lists.sid', 'sip_domain_mappings.listSid')
    .select(['sip_domain_mappings.domainSid', 'sip_lists.kind'])
    .distinct()
    .where('sip_domain_mappings.domainSid', 'in', domainSids)
    .where('sip_domain_mappings.purpose', '=', 'calls')
    .execute()
  const kinds = new Map<string, Set<SipListKind>>()
  for (const row of rows)
    kinds.set(row.domainSid, (kinds.get(row.domainSid) ?? new Set()).add(row.kind))
  return kinds
}
