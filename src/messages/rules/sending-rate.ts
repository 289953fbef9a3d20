/**
 * The rate of a number's messages, from what operators allow its campaign. The operator of the
 * destination is not known, so the rate is that of AT&T, which alone limits by the minute; when AT&T
 * does not carry the campaign, it is the lowest of the others. Segments are counted. Pure.
 */
import type { SendingPermission } from '../../registry/registry.js'

export interface SendingRate {
  /** The key of the rate: numbers of a campaign share one, unless each number has its own. */
  readonly bucket: string
  readonly segmentsPerMinute: number
}

type Operator = Extract<SendingPermission, { readonly isAllowed: true }>['operators'][number]

/** The registry's number of AT&T. */
const ATT = 10017
const MICROS_PER_MINUTE = 60_000_000

/** The rate of a number; undefined when nothing limits it. */
export function rateOf(
  campaignId: string,
  from: string,
  operators: readonly Operator[],
): SendingRate | undefined {
  const open = operators.filter(({ isAllowed, smsPerMinute }) => isAllowed && smsPerMinute !== null)
  const [slowest] = [...open].sort((a, b) => (a.smsPerMinute ?? 0) - (b.smsPerMinute ?? 0))
  const chosen = open.find(({ mnoId }) => mnoId === ATT) ?? slowest
  if (chosen === undefined || chosen.smsPerMinute === null) return undefined
  const bucket = chosen.scope === 'PHONE_NUMBER' ? `number:${from}` : `campaign:${campaignId}`
  return { bucket, segmentsPerMinute: chosen.smsPerMinute }
}

/** The time that the segments take at the rate, in microseconds. */
export function takesMicros({ segmentsPerMinute }: SendingRate, segments: number): number {
  return Math.ceil((MICROS_PER_MINUTE * segments) / Math.max(1, segmentsPerMinute))
}
