import type { HashCost } from '../../../src/accounts/passwords.js'

/** Cheap hashing, for tests whose subject is not hashing. */
export const QUICK_HASH: HashCost = { N: 16, r: 1, p: 1 }
