/** Imports rates from CSV. */
import type { Clock } from '../platform/clock.js'
import { type CsvImports, createCsvImports } from '../platform/csv-imports/csv-imports.js'
import type { Database } from '../platform/database/database.js'
import { RATE_COLUMNS, readRateHeader, readRateRow } from './import/read-rate-row.js'
import type { RateBook } from './rate-book.js'
import { countKnown, putRates } from './rates.js'

export { RATE_COLUMNS }

export function createRateImports({
  rateBook,
  ...deps
}: {
  readonly db: Database
  readonly clock: Clock
  readonly rateBook: Pick<RateBook, 'changed'>
}): CsvImports {
  const imports = createCsvImports(deps, {
    name: 'rates',
    readHeader: readRateHeader,
    readRow: readRateRow,
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
