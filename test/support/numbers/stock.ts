import { holdNumber } from '../../../src/numbers/held-numbers.js'
import { type InventoryNumber, toInventoryRow } from '../../../src/numbers/inventory-number.js'
import type { Database } from '../../../src/platform/database/database.js'
import { newSid } from '../../../src/platform/ids.js'

const AT_ONCE = 500
const CAPABILITIES = { voice: true, sms: true, mms: false, fax: false }

/** An inventory number, by default in Washington. */
export function stocked(e164: string, place: Partial<InventoryNumber> = {}): InventoryNumber {
  return {
    e164,
    country: 'US',
    kind: 'local',
    region: 'DC',
    locality: 'Washington',
    postalCode: '20001',
    rateCenter: 'WASHINGTON',
    lata: '236',
    place: undefined,
    capabilities: CAPABILITIES,
    ...place,
  }
}

/** Stores numbers in the inventory. */
export async function stock(db: Database, numbers: readonly InventoryNumber[]): Promise<void> {
  for (let from = 0; from < numbers.length; from += AT_ONCE) {
    const rows = numbers.slice(from, from + AT_ONCE).map((each) => toInventoryRow(each, 1))
    await db.write((tx) => tx.insertInto('phone_number_inventory').values(rows).execute())
  }
}

/** Assigns a number to an account without an order. */
export function hold(db: Database, accountSid: string, e164: string) {
  const sid = newSid('PN')
  return db.write((tx) => holdNumber(tx, { sid, accountSid, e164, capabilities: CAPABILITIES }, 1))
}
