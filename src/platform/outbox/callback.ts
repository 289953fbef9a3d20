import type { WebhookMethod } from '../http/http-method.js'
import type { WebhookParams } from '../webhooks/signature.js'
import type { TransactionalOutbox } from './transactional-outbox.js'

/** A request to the customer's application that reports a change. */
export interface NewCallback {
  /**
   * The sid of the subject. Callbacks of one stream to one server are sent one after the other; one that fails
   * twice is overtaken.
   */
  readonly stream: string
  readonly accountSid: string
  /** The kind of change that the callback reports, for people. */
  readonly kind: string
  readonly url: string
  readonly method: WebhookMethod
  readonly params: WebhookParams
}

/** The outbox of the voice API's callbacks. */
export type CallbackOutbox = TransactionalOutbox<NewCallback>
