/** Finds whether a number may send, and at what rate. */
import { servicesOf } from '../../accounts/account-storage.js'
import { findHeldNumber, type HeldNumber, isFreeOrTheirs } from '../../numbers/held-numbers.js'
import type { Database, Reader } from '../../platform/database/database.js'
import type { MaySend, SendingPermission } from '../../registry/registry.js'
import type { MessageRecord } from '../message-record.js'
import { type DailyCap, limitsOf, NO_LIMITS, type SendingRate } from '../rules/sending-rate.js'
import { messagingOf } from '../storage/messaging-storage.js'
import type { StoppableSender } from '../storage/opt-out-storage.js'

export interface Sender {
  /** The campaign, or the number without one, whose waiting messages one STOP ends. */
  readonly scope: string
  /** Undefined: nothing limits it. */
  readonly rate: SendingRate | undefined
  /** What the operator of the destination takes in a day; undefined: nothing limits it. */
  readonly cap: DailyCap | undefined
  /** The name of the carrier that takes its messages; undefined: the first one. */
  readonly routeOut: string | undefined
}

export type SenderAuthorization =
  | { readonly type: 'allowed'; readonly sender: Sender }
  /** The account does not hold the number or has no messages, or the number takes none. */
  | { readonly type: 'not-capable'; readonly reason: string }
  /** Its campaign does not let it send. */
  | { readonly type: 'no-permission'; readonly reason: string }

/** What each refusal of the registry means for a person. */
const REFUSALS: Readonly<
  Record<Exclude<SendingPermission, { readonly isAllowed: true }>['reason'], string>
> = {
  'no-campaign': 'it is under no campaign',
  'campaign-expired': 'its campaign has expired',
  'not-provisioned': 'it was released from its campaign',
  'csp-suspended': 'the CSP of its campaign is suspended',
  'no-operator-allows': 'no operator takes the messages of its campaign',
}

const notCapable = (reason: string): SenderAuthorization => ({ type: 'not-capable', reason })
const NOT_YOURS = notCapable('it is not a number of yours that can send messages')
const DISABLED = notCapable('messaging is disabled for it')
const withoutService = (kind: 'sms' | 'mms') =>
  notCapable(`the account has no ${kind} service: an administrator sets its flag`)

export interface AskedSender {
  readonly accountSid: string
  readonly from: string
  readonly kind?: 'sms' | 'mms'
  /** The registry's number of the operator of the destination; undefined: not known. */
  readonly operator?: number | undefined
}

/**
 * Authorizes a number of an account to send. A local number of North America sends for a campaign, which
 * makes it capable. Toll-free numbers and those of other countries send what they are capable of.
 */
export async function authorizeSender(
  read: Reader,
  maySend: MaySend,
  { accountSid, from, kind = 'sms', operator }: AskedSender,
): Promise<SenderAuthorization> {
  const number = await findHeldNumber(read, from)
  if (number?.accountSid !== accountSid) return NOT_YOURS
  if (!(await servicesOf(read, accountSid))[kind]) return withoutService(kind)
  const { isEnabled, routeOut } = await messagingOf(read, number.sid)
  if (!isEnabled) return DISABLED
  if (!needsCampaign(number)) {
    if (!number.capabilities[kind]) return NOT_YOURS
    const { rate, cap } = NO_LIMITS
    return { type: 'allowed', sender: { scope: scopeOf(number, undefined), rate, cap, routeOut } }
  }
  const permission = await maySend(from)
  if (!permission.isAllowed) return { type: 'no-permission', reason: REFUSALS[permission.reason] }
  const { isCarried, rate, cap } = limitsOf(permission, { from, kind, operator })
  if (!isCarried)
    return { type: 'no-permission', reason: 'the operator does not carry its campaign' }
  const scope = scopeOf(number, permission.campaignId)
  return { type: 'allowed', sender: { scope, rate, cap, routeOut } }
}

type OwnNumber = Pick<HeldNumber, 'e164' | 'kind'>

/** False for a number that sends by itself, though it may be under a campaign. */
function needsCampaign({ e164, kind }: OwnNumber): boolean {
  return e164.startsWith('+1') && kind !== 'toll-free'
}

/** The sender of an outbound message, as its recipient opts out of it. */
export function stoppableBy({
  scope,
  from,
  billedSid,
}: Pick<MessageRecord, 'scope' | 'from' | 'billedSid'>): StoppableSender {
  return { scope, number: from, payerSid: billedSid }
}

/** The name of those who opt out together: a campaign's recipients, or those of a number by itself. */
export function scopeOf(number: OwnNumber, campaignId: string | undefined): string {
  return campaignId !== undefined && needsCampaign(number)
    ? `campaign:${campaignId}`
    : `number:${number.e164}`
}

/**
 * Judges as `maySend` does, without the campaigns of former holders: the registry knows the last
 * campaign of a number, which must not send for it, nor use its texts, when the next account has it.
 */
export function sendersOwnCampaigns({ read }: Database, maySend: MaySend): MaySend {
  return async (e164) => {
    const permission = await maySend(e164)
    if (!('accountSid' in permission)) return permission
    return (await isFreeOrTheirs(read, permission.accountSid, e164))
      ? permission
      : { isAllowed: false, reason: 'no-campaign' }
  }
}
