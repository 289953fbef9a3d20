import type { Database } from '../database/database.js'
import type { WebhookMethod } from '../http/http-method.js'
import type { WebhookParams } from '../webhooks/signature.js'
import type { Outbox } from './outbox.js'
import type { DatabaseOutbox } from './outbox-store.js'
import type { TransactionalOutbox } from './transactional-outbox.js'

/** A request to the customer's application that reports a change. */
export interface NewCallback {
  /** Callbacks of one stream go out strictly one after the other: the sid of what they are about. */
  readonly stream: string
  readonly accountSid: string
  /** What it reports, for people. */
  readonly kind: string
  readonly url: string
  readonly method: WebhookMethod
  readonly params: WebhookParams
}

/** Where the features of the voice API leave their callbacks. */
export type CallbackOutbox = TransactionalOutbox<NewCallback>

export function createCallbackOutbox(
  db: Database,
  store: DatabaseOutbox,
  outbox: Outbox,
): CallbackOutbox {
  return {
    commit: async (work) => {
      const accounts = new Set<string>()
      const result = await db.write((tx) =>
        work(tx, async (rows) => {
          for (const { accountSid } of rows) accounts.add(accountSid)
          await store.enqueue(tx, rows)
        }),
      )
      for (const accountSid of accounts) outbox.notify(accountSid)
      return result
    },
  }
}
