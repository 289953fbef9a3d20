/**
 * Rates and daily caps of a campaign at the destination's operator. For an unknown operator the rate is that of
 * AT&T, which alone limits by the minute, or the lowest of the others when AT&T does not carry the campaign; no
 * cap applies then. Segments are counted. Pure.
 */
import type { SendingPermission } from '../../registry/registry.js'

export interface SendingRate {
  /** Key of the rate, shared by the campaign's numbers unless each number has its own. */
  readonly bucket: string
  readonly segmentsPerMinute: number
}

/** An operator's daily limit for all numbers with one key. */
export interface DailyCap {
  readonly key: string
  readonly segments: number
}

export interface SendingLimits {
  /** False when the destination's operator does not carry the campaign. */
  readonly isCarried: boolean
  /** Undefined: no rate limit. */
  readonly rate: SendingRate | undefined
  /** Undefined: no daily cap. */
  readonly cap: DailyCap | undefined
}

type Permission = Extract<SendingPermission, { readonly isAllowed: true }>
type Operator = Permission['operators'][number]

export interface LimitedMessage {
  readonly from: string
  readonly kind: 'sms' | 'mms'
  /** The registry's number of the destination's operator; undefined: unknown. */
  readonly operator: number | undefined
}

export const NO_LIMITS: SendingLimits = { isCarried: true, rate: undefined, cap: undefined }

/** The registry's number of AT&T. */
const ATT = 10017
const MICROS_PER_MINUTE = 60_000_000

export function limitsOf(permission: Permission, message: LimitedMessage): SendingLimits {
  const { campaignId, dailyCapKey, operators } = permission
  const known = operators.find(({ mnoId }) => mnoId === message.operator)
  if (known === undefined)
    return { ...NO_LIMITS, rate: rateAt(usualOf(operators, message), campaignId, message) }
  const { brandDailyCap, isAllowed, mnoId } = known
  return {
    isCarried: isAllowed,
    rate: rateAt(known, campaignId, message),
    cap:
      brandDailyCap === null
        ? undefined
        : { key: `${mnoId}:${dailyCapKey}`, segments: brandDailyCap },
  }
}

/** Returns the operator whose rate applies when the destination's is unknown. */
function usualOf(operators: readonly Operator[], message: LimitedMessage): Operator | undefined {
  const perMinute = (operator: Operator) => perMinuteAt(operator, message)
  const open = operators.filter((each) => each.isAllowed && perMinute(each) !== null)
  const [slowest] = [...open].sort((a, b) => (perMinute(a) ?? 0) - (perMinute(b) ?? 0))
  return open.find(({ mnoId }) => mnoId === ATT) ?? slowest
}

/** An operator without a rate for media accepts them at the rate of texts. */
function perMinuteAt({ mmsPerMinute, smsPerMinute }: Operator, { kind }: LimitedMessage) {
  return kind === 'mms' ? (mmsPerMinute ?? smsPerMinute) : smsPerMinute
}

function rateAt(
  operator: Operator | undefined,
  campaignId: string,
  message: LimitedMessage,
): SendingRate | undefined {
  const segmentsPerMinute = operator === undefined ? null : perMinuteAt(operator, message)
  if (operator === undefined || segmentsPerMinute === null) return undefined
  const whose =
    operator.scope === 'PHONE_NUMBER' ? `number:${message.from}` : `campaign:${campaignId}`
  return { bucket: `${whose}@${operator.mnoId}/${message.kind}`, segmentsPerMinute }
}

/** Returns the time that the segments take at the rate, in microseconds. */
export function takesMicros({ segmentsPerMinute }: SendingRate, segments: number): number {
  return Math.ceil((MICROS_PER_MINUTE * segments) / Math.max(1, segmentsPerMinute))
}
