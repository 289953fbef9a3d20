import { type BalanceFault, checkLedger } from '../../../src/ledger/check-ledger.js'
import type { LowBalance } from '../../../src/ledger/ledger.js'
import { createLedger, type Ledger, type NewEntry } from '../../../src/ledger/ledger.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createLogger } from '../../../src/platform/log.js'
import { tempFolder } from '../process/temp-folder.js'
import { openTestDatabase } from '../process/test-database.js'

export const START = Date.UTC(2026, 10, 16, 12)

/** A database with a ledger, and a clock that only the test advances. */
export interface LedgerFixture extends AsyncDisposable {
  readonly db: Database
  readonly ledger: Ledger
  readonly clock: { now: () => number; monotonic: () => number }
  readonly log: ReturnType<typeof createLogger>
  /** Low-balance notifications, in order. */
  readonly lows: LowBalance[]
  /** Low-balance threshold of each account, in 1/10,000 dollar. */
  readonly thresholds: Map<string, number>
  turnTo(at: number): void
  /** Posts an entry in its own transaction. */
  post(entry: Partial<NewEntry> & Pick<NewEntry, 'amount'>): Promise<boolean>
  faults(): Promise<readonly BalanceFault[]>
}

export async function ledgerFixture(): Promise<LedgerFixture> {
  const folder = tempFolder()
  const db = await openTestDatabase(folder.path)
  let now = START
  const clock = { now: () => now, monotonic: () => now - START }
  const lows: LowBalance[] = []
  const thresholds = new Map<string, number>()
  const ledger = createLedger({
    thresholdOf: (_read, sid) => Promise.resolve(thresholds.get(sid)),
    onLow: (_tx, low) => {
      lows.push(low)
      return Promise.resolve()
    },
  })
  let count = 0
  return {
    db,
    ledger,
    clock,
    log: createLogger('silent'),
    lows,
    thresholds,
    turnTo: (at) => {
      now = at
    },
    post: async (entry) => {
      count += 1
      const key = `test:${count}`
      return await db.write((tx) =>
        ledger.post(tx, {
          key,
          accountSid: 'AC1',
          cause: 'adjustment',
          reference: '',
          description: '',
          at: now,
          ...entry,
        }),
      )
    },
    faults: () => checkLedger(db.read),
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
