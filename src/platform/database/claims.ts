/**
 * Claims of rows by nodes that share a database, in the columns `claimedBy` and `claimedUntil`. The database
 * gives a row to one node. Nodes compare claims with their own clocks, which may differ by up to `MARGIN_MS`:
 * work ends, or renews its claim, that long before the claim expires.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Length of a claim, ms. A node that dies delays its claimed rows by this at most. */
export const LEASE_MS = 300_000
/** Maximum duration of a piece of work, ms; a claim that expires earlier is renewed first. */
export const MARGIN_MS = 150_000

export interface ClaimColumns {
  /** Node that works on the row; null when unclaimed. */
  claimedBy: string | null
  /** Expiry of the claim, epoch ms; null when unclaimed. */
  claimedUntil: number | null
}

/** Column values that claim a row for the node now. */
export function claimOf(node: string, now: number): ClaimColumns {
  return { claimedBy: node, claimedUntil: now + LEASE_MS }
}

/** Column values of an unclaimed row. */
export const UNCLAIMED: ClaimColumns = { claimedBy: null, claimedUntil: null }

/** SQL condition: no node claims the row at this time. */
export function isUnclaimed(now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`("claimedUntil" is null or "claimedUntil" <= ${now})`
}

/** SQL condition: the node itself, or no node, claims the row at this time. */
export function isFreeFor(node: string, now: number): RawBuilder<SqlBool> {
  return sql<SqlBool>`("claimedBy" = ${node} or "claimedUntil" is null or "claimedUntil" <= ${now})`
}
