import type { HashCost } from '../../../src/accounts/passwords.js'

/** Makes hashing quick, for tests that are about something else. */
export const QUICK_HASH: HashCost = { N: 16, r: 1, p: 1 }
