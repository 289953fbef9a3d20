/** Imports rates from CSV. */
import type { Accounts } from '../accounts/accounts.js'
import { USERNAME } from '../accounts/usernames.js'
import type { Clock } from '../platform/clock.js'
import { type CsvImports, createCsvImports, RowError } from '../platform/csv-imports/csv-imports.js'
import type { Database } from '../platform/database/database.js'
import { RATE_COLUMNS, readRateHeader, readRateRow } from './import/read-rate-row.js'
import type { RateBook } from './rate-book.js'
import { countKnown, type PrefixRate, putRates } from './rates.js'

export { RATE_COLUMNS }

type Usernames = Pick<Accounts, 'findByUsername'>

export function createRateImports({
  accounts,
  rateBook,
  ...deps
}: {
  readonly db: Database
  readonly clock: Clock
  readonly accounts: Usernames
  readonly rateBook: Pick<RateBook, 'changed'>
}): CsvImports {
  const imports = createCsvImports(deps, {
    name: 'rates',
    readHeader: (fields) => ({
      columns: readRateHeader(fields),
      owners: new RateOwners(accounts),
    }),
    readRow: async ({ columns, owners }, fields): Promise<PrefixRate> => {
      const { account, ...rate } = readRateRow(columns, fields)
      return { ...rate, accountSid: await owners.sidOf(account) }
    },
    keyOf: ({ accountSid, direction, prefix }) => `${accountSid} ${direction} ${prefix}`,
    twice: 'the rate is in the file twice',
    store: async (tx, rates, now) => {
      const known = await countKnown(tx, rates)
      await putRates(tx, rates, now)
      return known
    },
  })
  return {
    ...imports,
    run: async (bytes) => {
      try {
        return await imports.run(bytes)
      } finally {
        rateBook.changed()
      }
    },
  }
}

/** Maximum cached usernames per file; others are looked up again. */
const MAX_REMEMBERED = 10_000

/** The accounts named in one file. */
class RateOwners {
  readonly #accounts: Usernames
  readonly #sids = new Map<string, string>()

  constructor(accounts: Usernames) {
    this.#accounts = accounts
  }

  /** The sid of an account given by sid or username. Rejects with RowError. */
  async sidOf(account: string): Promise<string> {
    if (!USERNAME.test(account)) return account
    const known = this.#sids.get(account)
    if (known !== undefined) return known
    const found = await this.#accounts.findByUsername(account)
    if (found === undefined) throw new RowError(`there is no account ${account}`)
    if (this.#sids.size < MAX_REMEMBERED) this.#sids.set(account, found.sid)
    return found.sid
  }
}
