/** How long a claim lasts. A node that dies holds up what it has claimed no longer than this. */
export const LEASE_MS = 300_000
/** A claim that ends earlier than this is renewed before an attempt: no attempt takes longer. */
export const MARGIN_MS = 150_000
