/** The ports between the registry and other features, in both directions. */

/** An operator's decision about a campaign. */
export type OperationStatus = 'REGISTERED' | 'REVIEW' | 'REJECTED' | 'SUSPENDED'

export interface OutgoingMessage {
  readonly kind: 'sms' | 'mail'
  readonly recipient: string
  /** The subject of a mail; empty for an SMS. */
  readonly subject: string
  readonly text: string
  /** The id that the message belongs to: of an OTP or a brand. */
  readonly reference: string
}

/** How a message left: one of the enumeration otpDeliveryStatus. */
export interface MessageOutcome {
  readonly deliveryStatus: string
  readonly details?: string | undefined
}

/**
 * Sends one SMS or mail. A rejection is retried; a process killed before it could write the outcome
 * down sends again. Without one, messages stay in the local outbox.
 */
export type SendMessage = (message: OutgoingMessage, signal: AbortSignal) => Promise<MessageOutcome>

/** Where numbers come from: the numbering API. Without one, every number is the account's own. */
export interface NumberSource {
  /**
   * Whether the account may put this E.164 number under its campaign. Rejects with an AdapterError
   * when it cannot say now: the customer is told 630.
   */
  mayProvision(accountSid: string, e164: string): Promise<boolean>
}

export interface ProvisionedNumber {
  readonly phoneNumber: string
  readonly nnid: string
  readonly provisionedAt: number
  readonly isCurrent: boolean
  readonly campaignId: string
}

export interface CampaignNumbers {
  /**
   * Puts a number under a campaign, away from any other. Rejects with a RegistryError: 501 not
   * E.164, 502 not theirs, 518 expired, 536 mock, 592 while no aggregator is elected or the campaign
   * has all the numbers it may have, 630 when the number source cannot say.
   */
  provision(accountSid: string, campaignId: string, e164: string): Promise<void>
  /** 502 when it is under no campaign of the account. */
  release(accountSid: string, e164: string): Promise<void>
  list(
    campaignId: string,
    current: boolean | undefined,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: ProvisionedNumber[]; total: number }>
}

/** Why a number may not send: what is wrong first, where several things are. */
export type SendingRefusal =
  | 'campaign-expired'
  /** The number was under the campaign and is not any more. */
  | 'not-provisioned'
  /** The campaign's CSP is suspended. */
  | 'csp-suspended'
  /** Every operator is reviewing, has rejected or suspended it, or has no aggregator for it. */
  | 'no-operator-allows'

/** The facts about a number's campaign, whether the number may send or not. */
export interface CampaignStanding {
  readonly campaignId: string
  readonly brandId: string
  /** Whose messages count towards `brandDailyCap` together: the tax ID's, or the brand's without one. */
  readonly dailyCapKey: string
  /** The campaign's last event, which the numbering API shows as its status: `CAMPAIGN_DCA_COMPLETE`. */
  readonly lastEvent: string | undefined
  readonly operators: readonly OperatorPermission[]
  /** The keywords and texts, present even when nothing may be sent: STOP is understood at any time. */
  readonly texts: CampaignTexts
}

export type SendingPermission =
  | { readonly isAllowed: false; readonly reason: 'no-campaign' }
  | (CampaignStanding & { readonly isAllowed: false; readonly reason: SendingRefusal })
  | (CampaignStanding & { readonly isAllowed: true })

/** The rates that one operator allows; null means no limit. */
export interface OperatorPermission {
  readonly mnoId: number
  readonly name: string
  readonly isAllowed: boolean
  readonly status: OperationStatus | 'NOT_SUBMITTED'
  /** Segments per minute, for the `scope`. */
  readonly smsPerMinute: number | null
  readonly mmsPerMinute: number | null
  readonly scope: 'CAMPAIGN' | 'PHONE_NUMBER' | null
  /**
   * Messages from midnight to midnight Pacific time, of all numbers that have the same `dailyCapKey`:
   * T-Mobile counts by tax ID, over all brands and CSPs.
   */
  readonly brandDailyCap: number | null
}

export interface CampaignTexts {
  readonly optoutKeywords: readonly string[]
  readonly optoutMessage: string | undefined
  readonly helpKeywords: readonly string[]
  readonly helpMessage: string | undefined
  readonly optinKeywords: readonly string[]
  readonly optinMessage: string | undefined
}

/** Whether this number may send now, at which rate to each operator, and what it answers to STOP. */
export type MaySend = (e164: string) => Promise<SendingPermission>
