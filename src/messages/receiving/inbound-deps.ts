/** Dependencies of the delivery of inbound messages. */
import type { Mailer } from '../../mail/mail.js'
import type { Outbound } from '../../platform/http/outbound.js'
import type { Logger } from '../../platform/log.js'
import type { Signing, WebhookResponse, Webhooks } from '../../platform/webhooks/fetch-webhook.js'
import type { MediaLinks } from '../media/media-links.js'
import type { MediaStore } from '../media/media-store.js'
import type { MessageRecord } from '../message-record.js'
import type { CreateDeps } from '../sending/create-message.js'
import type { InboundWebhook, WantedReply } from './inbound-webhook.js'

export interface Applications {
  /** The webhook of a number; undefined when it has none. */
  webhookOf(e164: string): Promise<InboundWebhook | undefined>
  /** Parses the webhook's answer; plain text is never executed. */
  repliesOf(response: WebhookResponse): readonly WantedReply[]
  /**
   * Sends a message to the registered softphones at the address; without an address, to those of the number's
   * route. `none`: the route has no softphone.
   */
  giveToSoftphone(
    message: Pick<MessageRecord, 'accountSid' | 'from' | 'to'>,
    text: string,
    address: string | undefined,
  ): Promise<'taken' | 'away' | 'refused' | 'none'>
  countryOf(e164: string): string | undefined
  signingOf(accountSid: string): Promise<Signing | undefined>
  readonly webhooks: Pick<Webhooks, 'fetch'>
  /** Posts to the URLs of number routes. */
  readonly outbound: Pick<Outbound, 'request'>
  readonly mailer: Mailer
}

export interface InboundDeps extends CreateDeps {
  readonly log: Logger
  readonly applications: Applications
  readonly mediaStore: MediaStore
  readonly mediaLinks: Pick<MediaLinks, 'urlOf'>
}
