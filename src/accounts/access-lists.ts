import ipaddr from 'ipaddr.js'
import type { Clock } from '../platform/clock.js'
import type { Database, Writer } from '../platform/database/database.js'
import { applyInOrder } from '../platform/database/in-order.js'
import type { JudgeAddress } from '../platform/http/address-policy.js'

/** An entry that was not added or removed, with the reason. */
export interface FailedEntry {
  readonly cidr: string
  readonly reason: string
}

export interface ListChange {
  /** The entries that were added or removed. */
  readonly done: readonly string[]
  readonly failed: readonly FailedEntry[]
}

/** An account that lists an address; `bits` is the prefix length of its narrowest matching range. */
export interface ListedAccount {
  readonly accountSid: string
  readonly bits: number
}

/** Access lists: source addresses from which an account's SIP requests are admitted. */
export interface AccessLists {
  /** The entries of an account, oldest first. */
  of(accountSid: string): Promise<readonly string[]>
  /** Adds the valid entries, and returns the others with reasons. */
  add(accountSid: string, cidrs: readonly string[]): Promise<ListChange>
  remove(accountSid: string, cidrs: readonly string[]): Promise<ListChange>
  /** Accounts that list the address, narrowest range first. */
  accountsAt(address: string): Promise<readonly ListedAccount[]>
}

/** Maximum number of entries per account: enough for all its trunks, without slowing its calls. */
const MAX_ENTRIES = 1_000

export interface AccessListsDeps {
  readonly db: Database
  readonly clock: Clock
  /**
   * Decides whether the ends of a private range are allowed, as a lab may do; undefined: private ranges are
   * refused.
   */
  readonly allowsPrivate?: JudgeAddress | undefined
}

/** Allowed prefix lengths. */
const MASKS = [8, 16, 24, 32]
/** Ranges are compared as text, so each has exactly one spelling: no leading zero in the mask. */
const SYNTAX = /^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})\/(0|[1-9]\d?)$/
/** Ranges that are not routed on the Internet; a wider range may contain them. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
].map((range) => ipaddr.IPv4.parseCIDR(range))

export function createAccessLists({ db, clock, allowsPrivate }: AccessListsDeps): AccessLists {
  return {
    of: async (accountSid) => {
      const rows = await db.read
        .selectFrom('account_acl')
        .select('cidr')
        .where('accountSid', '=', accountSid)
        .orderBy('createdAt')
        .orderBy('cidr')
        .execute()
      return rows.map(({ cidr }) => cidr)
    },
    add: async (accountSid, cidrs) => {
      const now = clock.now()
      return await changed(db, cidrs, async (tx, cidr) => {
        const problem = rangeProblem(cidr, allowsPrivate)
        if (problem !== undefined) return problem
        if ((await countOf(tx, accountSid)) >= MAX_ENTRIES)
          return `the list has ${MAX_ENTRIES} entries already`
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('account_acl')
          .values({ accountSid, cidr, createdAt: now })
          .onConflict((known) => known.columns(['accountSid', 'cidr']).doNothing())
          .executeTakeFirst()
        return Number(numInsertedOrUpdatedRows) > 0 ? undefined : 'it is on the list already'
      })
    },
    remove: (accountSid, cidrs) =>
      changed(db, cidrs, async (tx, cidr) => {
        const { numDeletedRows } = await tx
          .deleteFrom('account_acl')
          .where('accountSid', '=', accountSid)
          .where('cidr', '=', cidr)
          .executeTakeFirst()
        return Number(numDeletedRows) > 0 ? undefined : 'it is not on the list'
      }),
    accountsAt: async (address) => {
      const ranges = rangesAround(address)
      if (ranges.length === 0) return []
      const rows = await db.read
        .selectFrom('account_acl')
        .select(['accountSid', 'cidr'])
        .where('cidr', 'in', ranges)
        .orderBy('accountSid')
        .execute()
      const narrowest = new Map<string, number>()
      for (const { accountSid: sid, cidr } of rows) {
        const bits = Number(cidr.split('/')[1])
        narrowest.set(sid, Math.max(bits, narrowest.get(sid) ?? 0))
      }
      return [...narrowest]
        .map(([accountSid, bits]): ListedAccount => ({ accountSid, bits }))
        .sort((one, other) => other.bits - one.bits)
    },
  }
}

/** All listable ranges that contain the address; none for IPv6, since lists are IPv4 only. */
function rangesAround(address: string): readonly string[] {
  if (!ipaddr.isValid(address)) return []
  const source = ipaddr.process(address)
  if (source.kind() !== 'ipv4') return []
  return MASKS.map((bits) => {
    const network = ipaddr.IPv4.networkAddressFromCIDR(`${source.toString()}/${String(bits)}`)
    return `${network.toString()}/${String(bits)}`
  })
}

/**
 * Returns why an entry is invalid; undefined when it is valid. A private range is valid if `allowsPrivate`
 * allows both its ends.
 */
function rangeProblem(cidr: string, allowsPrivate?: JudgeAddress): string | undefined {
  const [, address = '', bits = ''] = SYNTAX.exec(cidr) ?? []
  if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return 'an IPv4 CIDR is expected'
  const mask = Number(bits)
  if (!MASKS.includes(mask)) return 'the mask must be /8, /16, /24 or /32'
  const network = ipaddr.IPv4.networkAddressFromCIDR(cidr)
  if (network.toString() !== ipaddr.IPv4.parse(address).toString())
    return `the range begins at ${network.toString()}`
  const isRouted =
    network.range() === 'unicast' &&
    PRIVATE.every(([hidden, width]) => width < mask || !hidden.match(network, mask))
  const isTaken = isRouted || (allowsPrivate !== undefined && isOpenPrivate(cidr, allowsPrivate))
  return isTaken ? undefined : 'only public, routable addresses are taken'
}

/** True for a range inside a private one, if both its ends are allowed. */
function isOpenPrivate(cidr: string, allows: JudgeAddress): boolean {
  const [network, mask] = ipaddr.IPv4.parseCIDR(cidr)
  const isWithin = PRIVATE.some(([hidden, width]) => width <= mask && network.match(hidden, width))
  const ends = [network, ipaddr.IPv4.broadcastAddressFromCIDR(cidr)]
  return isWithin && ends.every((end) => allows(end.toString()).isAllowed)
}

/** Applies a change to each entry in one transaction; `apply` resolves with the reason of a refusal. */
async function changed(
  db: Database,
  cidrs: readonly string[],
  apply: (tx: Writer, cidr: string) => Promise<string | undefined>,
): Promise<ListChange> {
  return await db.write(async (tx) => {
    const done: string[] = []
    const failed: FailedEntry[] = []
    const changes = await applyInOrder(
      cidrs,
      (cidr) => cidr,
      (cidr) => apply(tx, cidr),
    )
    for (const { item: cidr, result: reason } of changes)
      if (reason === undefined) done.push(cidr)
      else failed.push({ cidr, reason })
    return { done, failed }
  })
}

async function countOf(tx: Writer, accountSid: string): Promise<number> {
  const { count } = await tx
    .selectFrom('account_acl')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('accountSid', '=', accountSid)
    .executeTakeFirstOrThrow()
  return count
}
