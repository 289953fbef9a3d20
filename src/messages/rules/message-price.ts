/** What a message costs. Rates are millionths of a dollar for a segment. Pure. */

/** The millionths of a dollar in 1/10,000 dollar. */
const MICROS_PER_UNIT = 100

/** The price in 1/10,000 dollar, rounded up once for the whole message. */
export function priceOfSegments(ratePerSegment: number, segments: number): number {
  return Math.ceil((Math.max(0, ratePerSegment) * segments) / MICROS_PER_UNIT)
}
