import type { OverrideProblem } from '../webhooks/connection-overrides.js'
import type { Signing, Webhooks } from '../webhooks/fetch-webhook.js'
import type { AttemptReport } from '../webhooks/webhook-attempt.js'
import { WebhookError } from '../webhooks/webhook-error.js'
import type { OutboxRow } from './outbox-row.js'
import type { Delivery } from './settle-delivery.js'

export interface DeliverDeps {
  readonly webhooks: Webhooks
  /** How an account's requests are signed; undefined when there is no such account any more. */
  readonly signingOf: (accountSid: string) => Promise<Signing | undefined>
  /** Sees every request that is made, for the event log. */
  readonly onAttempt?: (row: OutboxRow, attempt: AttemptReport) => void
  readonly onOverrideProblem?: (row: OutboxRow, problem: OverrideProblem) => void
}

/**
 * One delivery attempt of the outbox. Any answer below 400 delivers, its body is ignored; of the
 * others, those that another attempt may better (408, 425, 429, 5xx) are failures, the rest refusals.
 */
export function createDeliverer(
  deps: DeliverDeps,
): (row: OutboxRow, signal: AbortSignal) => Promise<Delivery> {
  return async (row, signal) => {
    const signing = await deps.signingOf(row.accountSid)
    if (signing === undefined)
      return { type: 'refused', status: undefined, error: 'the account is gone' }
    const { url, method, params, accountSid, idempotencyToken } = row
    const request = { url, method, params, accountSid, signing, idempotencyToken }
    const onAttempt = (attempt: AttemptReport): void => deps.onAttempt?.(row, attempt)
    const onOverrideProblem = (problem: OverrideProblem): void =>
      deps.onOverrideProblem?.(row, problem)
    try {
      const response = await deps.webhooks.fetch(
        { ...request, isNotification: true, onAttempt, onOverrideProblem },
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
