import { dollarText } from '../../../ledger/money.js'

/** Formats a price of 1/10,000 dollar as a negative amount in dollars; null without a price. */
export function priceText(price: number | undefined): string | null {
  if (price === undefined) return null
  return dollarText(price === 0 ? 0 : -price)
}
