import type { WebhookMethod } from '../http/http-method.js'
import type { WebhookParams } from '../webhooks/signature.js'
import type { TransactionalOutbox } from './transactional-outbox.js'

/** A request to the customer's application that reports a change. */
export interface NewCallback {
  /**
   * The stream: the sid of what the callback is about. Callbacks of one stream to one server go out one
   * after the other; one that fails twice steps aside.
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
