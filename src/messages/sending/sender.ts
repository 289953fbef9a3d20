/** Determines whether a number may send, and at what rate. */
import { servicesOf } from '../../accounts/account-storage.js'
import { findHeldNumber, type HeldNumber, isFreeOrTheirs } from '../../numbers/held-numbers.js'
import type { Database, Reader } from '../../platform/database/database.js'
import type { MaySend, SendingPermission } from '../../registry/registry.js'
import type { MessageRecord } from '../message-record.js'
import { type DailyCap, limitsOf, NO_LIMITS, type SendingRate } from '../rules/sending-rate.js'
import { messagingOf } from '../storage/messaging-storage.js'
import type { StoppableSender } from '../storage/opt-out-storage.js'

export interface Sender {
  /** Campaign, or the number when it has none; one STOP ends its queued messages. */
  readonly scope: string
  /** Undefined: no rate limit. */
  readonly rate: SendingRate | undefined
  /** Daily cap of the destination's operator; undefined: none. */
  readonly cap: DailyCap | undefined
  /** Name of its carrier; undefined: the first one. */
  readonly routeOut: string | undefined
}

export type SenderAuthorization =
  | { readonly type: 'allowed'; readonly sender: Sender }
  /** The account does not hold the number or has no messages, or the number takes none. */
  | { readonly type: 'not-capable'; readonly reason: string }
  /** Its campaign does not let it send. */
  | { readonly type: 'no-permission'; readonly reason: string }

/** Texts for the registry's refusals. */
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
  /** The registry's number of the destination's operator; undefined: unknown. */
  readonly operator?: number | undefined
}

/**
 * Authorizes a number of an account to send. A local number of North America needs a campaign. Toll-free and
 * foreign numbers send what their capabilities allow.
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

/** False for a number that sends without a campaign, even if it is in one. */
function needsCampaign({ e164, kind }: OwnNumber): boolean {
  return e164.startsWith('+1') && kind !== 'toll-free'
}

/** Returns the sender of an outbound message, as its recipient opts out of it. */
export function stoppableBy({
  scope,
  from,
  billedSid,
}: Pick<MessageRecord, 'scope' | 'from' | 'billedSid'>): StoppableSender {
  return { scope, number: from, payerSid: billedSid }
}

/** Returns the scope of an opt-out: the campaign, or the number when it has none. */
export function scopeOf(number: OwnNumber, campaignId: string | undefined): string {
  return campaignId !== undefined && needsCampaign(number)
    ? `campaign:${campaignId}`
    : `number:${number.e164}`
}

/**
 * Wraps `maySend` to ignore campaigns of former holders: the registry stores a number's last campaign, which
 * the next holder must not use.
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
