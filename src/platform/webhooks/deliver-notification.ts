import type { Webhooks } from './fetch-webhook.js'
import type { OutboxRow } from './outbox-row.js'
import type { Delivery } from './settle-delivery.js'
import type { AttemptReport } from './webhook-attempt.js'
import { WebhookError } from './webhook-error.js'

export interface DeliverDeps {
  readonly webhooks: Webhooks
  /** What an account signs with; undefined when there is no such account any more. */
  readonly authTokenOf: (accountSid: string) => Promise<string | undefined>
  /** Sees every request that is made, for the event log. */
  readonly onAttempt?: (row: OutboxRow, attempt: AttemptReport) => void
}

/**
 * One delivery attempt of the outbox. Any answer below 400 delivers, its body is ignored; of the
 * others, those that another attempt may better (408, 425, 429, 5xx) are failures, the rest refusals.
 */
export function createDeliverer(
  deps: DeliverDeps,
): (row: OutboxRow, signal: AbortSignal) => Promise<Delivery> {
  return async (row, signal) => {
    const authToken = await deps.authTokenOf(row.accountSid)
    if (authToken === undefined)
      return { type: 'refused', status: undefined, error: 'the account is gone' }
    const { url, method, params, accountSid, idempotencyToken } = row
    const request = { url, method, params, accountSid, authToken, idempotencyToken }
    const onAttempt = (attempt: AttemptReport): void => deps.onAttempt?.(row, attempt)
    try {
      const response = await deps.webhooks.fetch(
        { ...request, isNotification: true, onAttempt },
        signal,
      )
      return { type: 'delivered', status: response.status, error: undefined }
    } catch (error) {
      if (error instanceof WebhookError) return outcomeOf(error)
      throw error
    }
  }
}

function outcomeOf(error: WebhookError): Delivery {
  if (error.isAborted) return { type: 'aborted' }
  const type = error.isRetryable ? 'failed' : 'refused'
  return { type, status: error.httpStatus, error: `${error.code} ${error.message}` }
}
