/** Addresses of IP access control lists: the networks whose calls a SIP domain accepts. */
import type { Clock } from '../../platform/clock.js'
import type { Database, Reader } from '../../platform/database/database.js'
import {
  listNewestFirst,
  type Page,
  type PageRequest,
} from '../../platform/database/newest-first.js'
import { newSid } from '../../platform/ids.js'
import { SipLimitError, SipResourceNotFoundError } from './sip-domain-errors.js'
import { fetchSipList } from './sip-lists.js'
import type { SipAddress } from './tables.js'

/** The part of an address that the customer sets. */
export type SipAddressSettings = Pick<SipAddress, 'friendlyName' | 'ipAddress' | 'prefixLength'>

/** Each method that takes a sid rejects with SipResourceNotFoundError. */
export interface SipAddresses {
  /** Adds an address. Rejects with SipLimitError. */
  create(accountSid: string, listSid: string, wanted: SipAddressSettings): Promise<SipAddress>
  fetch(accountSid: string, listSid: string, sid: string): Promise<SipAddress>
  list(accountSid: string, listSid: string, page: PageRequest): Promise<Page<SipAddress>>
  /** Stores the address that `change` returns; if it throws, nothing is stored. */
  update(
    accountSid: string,
    listSid: string,
    sid: string,
    change: (current: SipAddress) => SipAddressSettings,
  ): Promise<SipAddress>
  remove(accountSid: string, listSid: string, sid: string): Promise<void>
  /** Returns the networks, as CIDRs, of the lists mapped to the domain for calls. */
  networksOf(domainSid: string): Promise<readonly string[]>
}

/** Maximum number of addresses per list (documented). */
const MAX_ADDRESSES = 100

export interface SipAddressesDeps {
  readonly db: Database
  readonly clock: Clock
}

export function createSipAddresses({ db, clock }: SipAddressesDeps): SipAddresses {
  return {
    create: async (accountSid, listSid, wanted) => {
      const now = clock.now()
      const address: SipAddress = {
        sid: newSid('IP'),
        accountSid,
        listSid,
        friendlyName: wanted.friendlyName,
        ipAddress: wanted.ipAddress,
        prefixLength: wanted.prefixLength,
        createdAt: now,
        updatedAt: now,
      }
      await db.write((tx) => insertAddress(tx, address))
      return address
    },
    fetch: (...of) => fetchAddress(db.read, ...of),
    list: async (accountSid, listSid, request) => {
      await fetchSipList(db.read, 'addresses', accountSid, listSid)
      const matching = db.read
        .selectFrom('sip_addresses')
        .selectAll()
        .where('listSid', '=', listSid)
      return await listNewestFirst({ read: db.read, matching }, request)
    },
    update: (accountSid, listSid, sid, change) => {
      const now = clock.now()
      return db.write(async (tx) => {
        const current = await fetchAddress(tx, accountSid, listSid, sid)
        const address = { ...current, ...change(current), updatedAt: now }
        await tx.updateTable('sip_addresses').set(address).where('sid', '=', address.sid).execute()
        return address
      })
    },
    remove: (accountSid, listSid, sid) =>
      db.write(async (tx) => {
        const address = await fetchAddress(tx, accountSid, listSid, sid)
        await tx.deleteFrom('sip_addresses').where('sid', '=', address.sid).execute()
      }),
    networksOf: async (domainSid) => {
      const rows = await db.read
        .selectFrom('sip_domain_mappings')
        .innerJoin('sip_addresses', 'sip_addresses.listSid', 'sip_domain_mappings.listSid')
        .select(['sip_addresses.ipAddress', 'sip_addresses.prefixLength'])
        .where('sip_domain_mappings.domainSid', '=', domainSid)
        .where('sip_domain_mappings.purpose', '=', 'calls')
        .execute()
      return rows.map((row) => `${row.ipAddress}/${row.prefixLength}`)
    },
  }
}

async function insertAddress(tx: Reader, address: SipAddress): Promise<void> {
  await fetchSipList(tx, 'addresses', address.accountSid, address.listSid)
  const { count } = await tx
    .selectFrom('sip_addresses')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('listSid', '=', address.listSid)
    .executeTakeFirstOrThrow()
  if (count >= MAX_ADDRESSES)
    throw new SipLimitError(21237, `a list has at most ${MAX_ADDRESSES} addresses`)
  await tx.insertInto('sip_addresses').values(address).execute()
}

async function fetchAddress(
  read: Reader,
  accountSid: string,
  listSid: string,
  sid: string,
): Promise<SipAddress> {
  const row = await read
    .selectFrom('sip_addresses')
    .selectAll()
    .where('sid', '=', sid)
    .where('listSid', '=', listSid)
    .where('accountSid', '=', accountSid)
    .executeTakeFirst()
  if (row === undefined) throw new SipResourceNotFoundError(`there is no address ${sid}`)
  return row
}
