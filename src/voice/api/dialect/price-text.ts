import { dollarText } from '../../../ledger/money.js'

/** A price of 1/10,000 dollar as a charge, negative, in dollars; null where nothing was rated. */
export function priceText(price: number | undefined): string | null {
  if (price === undefined) return null
  return dollarText(price === 0 ? 0 : -price)
}
