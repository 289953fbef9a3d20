/** The ports between the registry and other features, in both directions. */
import type { Reader, Writer } from '../../platform/database/database.js'

/** An operator's decision about a campaign. */
export type OperationStatus = 'REGISTERED' | 'REVIEW' | 'REJECTED' | 'SUSPENDED'

export interface OutgoingMessage {
  readonly kind: 'sms' | 'mail'
  readonly recipient: string
  /** The subject of a mail; empty for an SMS. */
  readonly subject: string
  readonly text: string
  /** The id of the OTP or brand that the message belongs to. */
  readonly reference: string
}

/** The result of sending a message: a value of the enumeration otpDeliveryStatus. */
export interface MessageOutcome {
  readonly deliveryStatus: string
  readonly details?: string | undefined
}

/**
 * Sends one SMS or mail. A rejected promise is retried. After a crash before the outcome is stored,
 * the message is sent again. Without a sender, messages stay in the local outbox.
 */
export type SendMessage = (message: OutgoingMessage, signal: AbortSignal) => Promise<MessageOutcome>

/**
 * The numbering API as the source of numbers. Without a source, every number belongs to the
 * account.
 */
export interface NumberSource {
  /**
   * Resolves with true when the account may put this E.164 number under its campaign, as seen by
   * the transaction `read`. Rejects with an AdapterError when the source cannot answer now; the
   * customer gets 630.
   */
  mayProvision(read: Reader, accountSid: string, e164: string): Promise<boolean>
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
   * Rejects with a RegistryError for a campaign that the account's numbers can never join: 502 not
   * the account's, 518 expired, 536 mock.
   */
  refuseDead(read: Reader, accountSid: string, campaignId: string): Promise<void>
  /**
   * Moves a number to a campaign as `provision` does, within the caller's transaction. The caller
   * has already checked that the account holds the number.
   */
  provisionIn(tx: Writer, accountSid: string, campaignId: string, e164: string): Promise<void>
  /**
   * Moves a number to a campaign. Rejects with a RegistryError: 501 not E.164, 502 not the
   * account's, 518 expired, 536 mock, 592 no aggregator elected or too many numbers, 630 number
   * source unavailable.
   */
  provision(accountSid: string, campaignId: string, e164: string): Promise<void>
  /** Releases a number; RegistryError 502 when it is under no campaign of the account. */
  release(accountSid: string, e164: string): Promise<void>
  list(
    campaignId: string,
    current: boolean | undefined,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ items: ProvisionedNumber[]; total: number }>
}

/** A campaign as number provisioning shows it. */
export interface ProvisioningCampaign {
  readonly campaignId: string
  readonly brandId: string
  /** The campaign's last event, such as `CAMPAIGN_DCA_COMPLETE`. */
  readonly status: string
  /** The numbers that currently send under it, in E.164. */
  readonly numbers: readonly string[]
  /** The CNP with which its CSP shares it; undefined when it is not shared. */
  readonly upstreamCnpId: string | undefined
  /** Its registration for number provisioning; undefined without one. */
  readonly registered:
    | { readonly description: string; readonly className: string; readonly startedAt: number }
    | undefined
}

/** Registers and shows brands and campaigns for number provisioning. */
export interface MessagingRecords {
  /**
   * Registers a brand of the account under a name. Repeating it changes name and description.
   * Rejects with a RegistryError: 502 not the account's, 503 name taken by another brand.
   */
  addBrand(
    accountSid: string,
    brand: { readonly brandId: string; readonly name: string; readonly description: string },
  ): Promise<void>
  /**
   * Registers a campaign of a registered brand and sets its class and start. Rejects with a
   * RegistryError: 501 campaign of another brand, 502 not the account's, 518 expired, 592 brand not
   * registered.
   */
  addCampaign(
    accountSid: string,
    campaign: {
      readonly campaignId: string
      readonly brandId: string
      readonly description: string
    },
  ): Promise<void>
  /** Resolves with the campaigns in the list that belong to the account. */
  find(accountSid: string, campaignIds: readonly string[]): Promise<readonly ProvisioningCampaign[]>
}

/** The reason why a number may not send; the first one when there are several. */
export type SendingRefusal =
  | 'campaign-expired'
  /** The number was under the campaign and has been released. */
  | 'not-provisioned'
  /** The campaign's CSP is suspended. */
  | 'csp-suspended'
  /**
   * No operator allows it: each one reviews, has rejected or has suspended the campaign, or has no
   * aggregator for it.
   */
  | 'no-operator-allows'

/** The facts about a number's campaign, also for a number that may not send. */
export interface CampaignStanding {
  readonly campaignId: string
  /** The account of the campaign's CSP. */
  readonly accountSid: string | undefined
  readonly brandId: string
  /**
   * The key of `brandDailyCap`: numbers with the same key share the cap. It represents the tax ID,
   * or the brand when there is none.
   */
  readonly dailyCapKey: string
  /**
   * The campaign's last event, such as `CAMPAIGN_DCA_COMPLETE`; the numbering API shows it as
   * status.
   */
  readonly lastEvent: string | undefined
  readonly operators: readonly OperatorPermission[]
  /**
   * The keywords and texts. They are present even when the number may not send, since STOP always
   * works.
   */
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
  /** Maximum number of segments per minute within the `scope`. */
  readonly smsPerMinute: number | null
  readonly mmsPerMinute: number | null
  readonly scope: 'CAMPAIGN' | 'PHONE_NUMBER' | null
  /**
   * Maximum number of messages per day (Pacific time) over all numbers with the same `dailyCapKey`.
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

/** Resolves with whether this number may send now, its rate per operator, and its STOP answer. */
export type MaySend = (e164: string) => Promise<SendingPermission>
