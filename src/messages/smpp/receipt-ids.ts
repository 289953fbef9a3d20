/**
 * The ids of parts in responses and in receipts. Many SMSCs write the id of a response in hexadecimal
 * and that of its receipt in decimal, some the other way round, with zeros before it or not. Pure.
 */

/** How the id of a receipt is spelled, beside that of the response. */
export type ReceiptSpelling = 'any' | 'same' | 'decimal' | 'hex'

const DECIMAL = /^[0-9]{1,40}$/
const HEX = /^[0-9a-f]{1,40}$/i

/** The id as it is stored: a number without its leading zeros, in small letters. */
export function plainId(id: string): string {
  return HEX.test(id) ? id.toLowerCase().replace(/^0+(?=.)/, '') : id
}

/** The ids that the response may have had, the most probable first. */
export function responseIds(id: string, spelling: ReceiptSpelling): readonly string[] {
  const asHex = DECIMAL.test(id) ? BigInt(id).toString(16) : undefined
  const asDecimal = HEX.test(id) ? BigInt(`0x${id}`).toString() : undefined
  const wanted = {
    any: [plainId(id), asHex, asDecimal],
    same: [plainId(id)],
    decimal: [asHex ?? plainId(id)],
    hex: [asDecimal ?? plainId(id)],
  }[spelling]
  return [...new Set(wanted.flatMap((each) => each ?? []))]
}
