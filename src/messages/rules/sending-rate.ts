/**
 * What the operator of a destination allows a campaign. Where the operator is not known, the rate is
 * that of AT&T, which alone limits by the minute, or the lowest of the others when AT&T does not carry
 * the campaign; no cap is counted then. Segments are counted. Pure.
 */
import type { SendingPermission } from '../../registry/registry.js'

export interface SendingRate {
  /** The key of the rate: numbers of a campaign share one, unless each number has its own. */
  readonly bucket: string
  readonly segmentsPerMinute: number
}

/** What an operator takes in a day from all numbers with one key. */
export interface DailyCap {
  readonly key: string
  readonly segments: number
}

export interface SendingLimits {
  /** False: the operator of the destination does not carry the campaign. */
  readonly isCarried: boolean
  /** Undefined: nothing limits the rate. */
  readonly rate: SendingRate | undefined
  /** Undefined: nothing limits the day. */
  readonly cap: DailyCap | undefined
}

type Permission = Extract<SendingPermission, { readonly isAllowed: true }>
type Operator = Permission['operators'][number]

export interface LimitedMessage {
  readonly from: string
  readonly kind: 'sms' | 'mms'
  /** The registry's number of the operator of the destination; undefined: not known. */
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

/** The operator whose rate holds where the operator of the destination is not known. */
function usualOf(operators: readonly Operator[], message: LimitedMessage): Operator | undefined {
  const perMinute = (operator: Operator) => perMinuteAt(operator, message)
  const open = operators.filter((each) => each.isAllowed && perMinute(each) !== null)
  const [slowest] = [...open].sort((a, b) => (perMinute(a) ?? 0) - (perMinute(b) ?? 0))
  return open.find(({ mnoId }) => mnoId === ATT) ?? slowest
}

/** An operator that says nothing of media takes them at the rate of texts. */
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

/** The time that the segments take at the rate, in microseconds. */
export function takesMicros({ segmentsPerMinute }: SendingRate, segments: number): number {
  return Math.ceil((MICROS_PER_MINUTE * segments) / Math.max(1, segmentsPerMinute))
}
