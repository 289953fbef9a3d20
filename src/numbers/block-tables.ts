import type { Migration } from '../platform/database/migration.js'
import { phoneNumberInventoryBaseline } from './tables.js'

declare module '../platform/database/tables.js' {
  interface Tables {
    phone_number_inventory_blocks: PhoneNumberInventoryBlocksTable
  }
}

/**
 * Size of the inventory by block of a thousand numbers and place. Unknown texts are empty; a number outside
 * North America is in no block.
 */
export interface PhoneNumberInventoryBlocksTable {
  npa: string
  nxx: string
  /** The first of the last four digits. */
  block: string
  rateCenter: string
  locality: string
  region: string
  lata: string
  numbers: number
}

export const phoneNumberBlocksBaseline: Migration = {
  name: 'phone-numbers/4-blocks',
  after: [phoneNumberInventoryBaseline],
  statements: ({ byKey, countRows }) => `
create table phone_number_inventory_blocks (
  npa text not null,
  nxx text not null,
  block text not null,
  "rateCenter" text not null,
  locality text not null,
  region text not null,
  lata text not null,
  numbers integer not null,
  primary key (npa, nxx, block, "rateCenter", locality, region, lata)
)${byKey};
${countRows({
  table: 'phone_number_inventory',
  counts: 'phone_number_inventory_blocks',
  column: 'numbers',
  groups: {
    npa: (row) => `coalesce(${row}."areaCode", '')`,
    nxx: (row) => digitsOf(row, 6, 3),
    block: (row) => digitsOf(row, 9, 1),
    rateCenter: (row) => `coalesce(${row}."rateCenter", '')`,
    locality: (row) => `coalesce(${row}.locality, '')`,
    region: (row) => `coalesce(${row}.region, '')`,
    lata: (row) => `coalesce(${row}.lata, '')`,
  },
})}
`,
}

/** SQL for some digits of a North American number; an empty text for any other. */
function digitsOf(row: 'new' | 'old', from: number, length: number): string {
  const digits = `substr(${row}."phoneNumber", ${from}, ${length})`
  return `case when ${row}."areaCode" is null then '' else ${digits} end`
}
