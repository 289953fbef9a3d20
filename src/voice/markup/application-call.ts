/** The call by which a document connects its caller with an application of the account. */
import type { WebhookMethod } from '../../platform/http/http-method.js'
import type { DialStatusEvent } from './parse/dial-noun.js'

export interface ApplicationCallRequest {
  /** The sid of the application, as written. */
  readonly sid: string
  /** The caller ID; undefined stands for the call's From. */
  readonly callerId: string | undefined
  /** True when the application's To is that of the caller's call. */
  readonly copyParentTo: boolean
  /** The name of the sender; undefined stands for the sid of the account. */
  readonly customerId: string | undefined
  /** The parameters of the first request, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** The callback; undefined stands for the application's. */
  readonly statusCallback:
    | {
        readonly url: string
        readonly method: WebhookMethod
        readonly events: readonly DialStatusEvent[]
      }
    | undefined
}
