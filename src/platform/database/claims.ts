/**
 * Claims of rows by the nodes that share a database. A row has the columns `claimedBy` and
 * `claimedUntil`, and the database lets one node have it. Nodes compare the end of a claim with
 * their own clocks: those may differ by up to `MARGIN_MS`, since work ends, or its claim is renewed,
 * that long before the claim does.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** The length of a claim. A node that dies delays its claimed rows no longer than this. */
export const LEASE_MS = 300_000
/**
 * The least time left for a piece of work, which takes no longer: a claim that ends earlier is
 * renewed first.
 */
export const MARGIN_MS = 150_000

export interface ClaimColumns {
  /** The node that works on the row; null when no node has claimed it. */
  claimedBy: string | null
  /** The end of the claim, epoch milliseconds; null without one. */
  claimedUntil: number | null
}

/** The columns of a row that the node claims now. */
export function claimOf(node: string, now: number): ClaimColumns {
  return { claimedBy: node, claimedUntil: now + LEASE_MS }
}

/** The columns of a row that no node has claimed. */
export const UNCLAIMED: ClaimColumns = { claimedBy: null, claimedUntil: null }

/** A condition: no node has claimed the row at this time. */
export function isUnclaimed(now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`("claimedUntil" is null or "claimedUntil" <= ${now})`
}

/** A condition: the row is the node's own, or no node has claimed it at this time. */
export function isFreeFor(node: string, now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`("claimedBy" = ${node} or "claimedUntil" is null or "claimedUntil" <= ${now})`
}
