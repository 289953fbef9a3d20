/** Imports inventory from CSV. */
import type { Clock } from '../platform/clock.js'
import { type CsvImports, createCsvImports } from '../platform/csv-imports/csv-imports.js'
import type { Database, Writer } from '../platform/database/database.js'
import { COLUMNS, readHeader, readInventoryRow } from './import/read-inventory-row.js'
import { type InventoryNumber, toInventoryRow } from './inventory-number.js'

export { COLUMNS }

export function createInventoryImports(deps: {
  readonly db: Database
  readonly clock: Clock
}): CsvImports {
  return createCsvImports(deps, {
    name: 'inventory',
    readHeader,
    readRow: readInventoryRow,
    keyOf: ({ e164 }) => e164,
    twice: 'the number is in the file twice',
    store: storeNumbers,
  })
}

/** A known number is replaced as a whole: its row is another one in the counts of the inventory. */
async function storeNumbers(
  tx: Writer,
  numbers: readonly InventoryNumber[],
  now: number,
): Promise<number> {
  const known = numbers.map(({ e164 }) => e164)
  const removed = await tx
    .deleteFrom('phone_number_inventory')
    .where('phoneNumber', 'in', known)
    .executeTakeFirst()
  await tx
    .insertInto('phone_number_inventory')
    .values(numbers.map((number) => toInventoryRow(number, now)))
    .execute()
  return Number(removed.numDeletedRows)
}
