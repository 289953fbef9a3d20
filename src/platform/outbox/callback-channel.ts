import { sha256Hex } from '../secrets.js'
import {
  fragmentOf,
  type OverrideProblem,
  parseConnectionOverrides,
} from '../webhooks/connection-overrides.js'
import type { AttemptReport, Signing, Webhooks } from '../webhooks/fetch-webhook.js'
import { WebhookError } from '../webhooks/webhook-error.js'
import type { NewCallback } from './callback.js'
import type { Channel, Delivery } from './channel.js'
import type { OutboxRow } from './outbox-row.js'
import { nextAttemptAt, RETRY_SCHEDULE, type RetrySchedule } from './retry-schedule.js'

/** A callback to be delivered. */
export type Callback = NewCallback & Pick<OutboxRow, 'id' | 'attempts' | 'idempotencyToken'>

export interface CallbackChannelDeps {
  readonly webhooks: Pick<Webhooks, 'fetch'>
  /** Resolves with an account's signing settings; undefined when the account is gone. */
  readonly signingOf: (accountSid: string) => Promise<Signing | undefined>
  readonly schedule?: RetrySchedule
  /** Receives every attempt, for the event log. */
  readonly onAttempt?: (callback: Callback, attempt: AttemptReport) => void
  readonly onOverrideProblem?: (callback: Callback, problem: OverrideProblem) => void
  readonly onGivenUp?: (callback: Callback) => void
}

/** Hex digits of a server's digest; enough to make collisions within one call negligible. */
const DIGEST_CHARS = 16

/** Failed attempts after which later callbacks of the call overtake: its end must not wait long. */
const STEPS_ASIDE_AFTER = 2

/**
 * Delivers callbacks as signed webhooks. Any answer below 400 is a delivery; its body is ignored. 408, 425, 429
 * and 5xx are failures and are retried; any other answer is a refusal. A URL with a retry count (`#rc=`) gets
 * only those retries, as for a document.
 */
export function createCallbackChannel(deps: CallbackChannelDeps): Channel<NewCallback> {
  const { schedule = RETRY_SCHEDULE, onGivenUp } = deps
  return {
    name: 'callback',
    toRow: ({ stream, accountSid, kind, url, method, params }) => ({
      stream: streamOfRow(stream, url),
      accountSid,
      kind,
      payload: { url, method, params },
    }),
    deliver: (row, signal) => deliver(toCallback(row), signal, deps),
    nextAttemptAt: (row, now, random) => nextAttemptAt(schedule, row, now, random),
    stepsAsideAfter: STEPS_ASIDE_AFTER,
    onGivenUp: (row) => {
      onGivenUp?.(toCallback(row))
    },
  }
}

/**
 * Returns the stream of a row. An unreachable server delays only callbacks to itself. Its name is replaced by a
 * digest, since customers choose its length.
 */
function streamOfRow(stream: string, url: string): string {
  const server = URL.canParse(url) ? new URL(url).origin : url
  return `${stream} ${sha256Hex(server).slice(0, DIGEST_CHARS)}`
}

/** Returns the sid in the stream of a row; an earlier version stored the sid alone. */
function sidIn(rowStream: string): string {
  return rowStream.split(' ', 1)[0] ?? rowStream
}

function toCallback(row: OutboxRow): Callback {
  const { id, accountSid, kind, attempts, idempotencyToken } = row
  // As `toRow` has written it.
  const { url, method, params } = row.payload as Pick<NewCallback, 'url' | 'method' | 'params'>
  const stream = sidIn(row.stream)
  return { id, stream, accountSid, kind, attempts, idempotencyToken, url, method, params }
}

async function deliver(
  callback: Callback,
  signal: AbortSignal,
  deps: CallbackChannelDeps,
): Promise<Delivery> {
  const { url, method, params, accountSid, idempotencyToken } = callback
  const signing = await deps.signingOf(accountSid)
  if (signing === undefined)
    return { type: 'refused', status: undefined, error: 'the account is gone' }
  try {
    const response = await deps.webhooks.fetch(
      {
        url,
        method,
        params,
        accountSid,
        signing,
        idempotencyToken,
        isNotification: true,
        onAttempt: (attempt) => deps.onAttempt?.(callback, attempt),
        onOverrideProblem: (problem) => deps.onOverrideProblem?.(callback, problem),
      },
      signal,
    )
    return { type: 'delivered', status: response.status, error: undefined }
  } catch (error) {
    if (error instanceof WebhookError) return outcomeOf(error, url)
    throw error
  }
}

function outcomeOf(error: WebhookError, url: string): Delivery {
  if (error.isAborted) return { type: 'aborted' }
  const { isRetryCountGiven } = parseConnectionOverrides(fragmentOf(url))
  const type = error.isRetryable && !isRetryCountGiven ? 'failed' : 'refused'
  return { type, status: error.httpStatus, error: `${error.code} ${error.message}` }
}
