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
 * Sends one SMS or mail. A rejection is retried. A process killed before it stored the outcome
 * sends again. Without a sender, messages stay in the local outbox.
 */
export type SendMessage = (message: OutgoingMessage, signal: AbortSignal) => Promise<MessageOutcome>

/**
 * The numbering API as the source of numbers. Without a source, every number belongs to the
 * account.
 */
export interface NumberSource {
  /**
   * Resolves with whether the account may put this E.164 number under its campaign, as of the
   * transaction that does so. Rejects with an AdapterError when that is unknown at the moment; the
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
   * Rejects with a RegistryError for a campaign that numbers of the account can never join: 502 not
   * the account's, 518 expired, 536 mock.
   */
  refuseDead(read: Reader, accountSid: string, campaignId: string): Promise<void>
  /**
   * Moves a number to a campaign within the caller's transaction, as `provision` does. The caller
   * knows that the account holds the number.
   */
  provisionIn(tx: Writer, accountSid: string, campaignId: string, e164: string): Promise<void>
  /**
   * Moves a number to a campaign. Rejects with a RegistryError: 501 not E.164, 502 not the
   * account's, 518 expired, 536 mock, 592 while no aggregator is elected or the campaign has its
   * maximum of numbers, 630 when the number source cannot answer.
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

/** A campaign as the provisioning of numbers shows it. */
export interface ProvisioningCampaign {
  readonly campaignId: string
  readonly brandId: string
  /** The campaign's last event, such as `CAMPAIGN_DCA_COMPLETE`. */
  readonly status: string
  /** The numbers that send under it now, in E.164. */
  readonly numbers: readonly string[]
  /** The CNP with which its CSP shares it; undefined while it shares it with none. */
  readonly upstreamCnpId: string | undefined
  /** Its registration for number provisioning; undefined without one. */
  readonly registered:
    | { readonly description: string; readonly className: string; readonly startedAt: number }
    | undefined
}

/** Brands and campaigns as the provisioning of numbers registers and shows them. */
export interface MessagingRecords {
  /**
   * Registers a brand of the account under a name. Rejects with a RegistryError: 502 not the
   * account's, 503 another brand has the name. Repeating it changes name and description.
   */
  addBrand(
    accountSid: string,
    brand: { readonly brandId: string; readonly name: string; readonly description: string },
  ): Promise<void>
  /**
   * Registers a campaign of a registered brand; its class and start are set here. Rejects with a
   * RegistryError: 502 not the account's, 518 expired, 501 of another brand, 592 while its brand is
   * not registered.
   */
  addCampaign(
    accountSid: string,
    campaign: {
      readonly campaignId: string
      readonly brandId: string
      readonly description: string
    },
  ): Promise<void>
  /** Resolves with those of the campaigns that are the account's. */
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
   * Each operator reviews, has rejected or has suspended the campaign, or no aggregator carries it
   * there.
   */
  | 'no-operator-allows'

/** The facts about a number's campaign, whether the number may send or not. */
export interface CampaignStanding {
  readonly campaignId: string
  /** The account of the campaign's CSP. */
  readonly accountSid: string | undefined
  readonly brandId: string
  /**
   * The key of `brandDailyCap`: numbers with the same key share the cap. It stands for the tax ID,
   * or for the brand when there is none.
   */
  readonly dailyCapKey: string
  /**
   * The campaign's last event, such as `CAMPAIGN_DCA_COMPLETE`; the numbering API shows it as the
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
  /** The segments per minute within the `scope`. */
  readonly smsPerMinute: number | null
  readonly mmsPerMinute: number | null
  readonly scope: 'CAMPAIGN' | 'PHONE_NUMBER' | null
  /**
   * The messages from midnight to midnight Pacific time, over all numbers with the same
   * `dailyCapKey`. T-Mobile counts by tax ID, over all brands and CSPs.
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

/**
 * Resolves with whether this number may send now, its rate for each operator, and its answer to
 * STOP.
 */
export type MaySend = (e164: string) => Promise<SendingPermission>
