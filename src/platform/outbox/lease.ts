/** The length of a claim. A node that dies delays its claimed rows no longer than this. */
export const LEASE_MS = 300_000
/**
 * The least time left for an attempt, which takes no longer: a claim that ends earlier is renewed
 * first.
 */
export const MARGIN_MS = 150_000
