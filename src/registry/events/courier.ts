import { createHmac } from 'node:crypto'
import type { Outbound } from '../../platform/http/outbound.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import type { Core } from '../model/core.js'

/** After each failure; ten per cent either way, so that many do not come back at once. */
const RETRY_MINUTES = [1, 5, 30, 120, 360, 1_440]
const JITTER = 0.1
const TIMEOUT_MS = 10_000
/** Streams delivered to at the same time. */
const CONCURRENCY = 8

interface Due {
  readonly id: number
  readonly stream: string
  readonly attempts: number
  readonly eventId: string
  readonly cspId: string
  readonly category: string
}

interface Attempt {
  readonly endpoint: string
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

/**
 * Delivers events: those of one subscription strictly in order, a failed one again before the next,
 * each attempt written down. A process killed between the subscriber's 200 and our commit delivers
 * that event again, with the same `X-Trunkline-Event-Id`.
 */
export class Courier {
  readonly #core: Core
  readonly #outbound: Outbound
  #onWake: (() => void) | undefined

  constructor(core: Core, outbound: Outbound) {
    this.#core = core
    this.#outbound = outbound
  }

  /** New deliveries may be due: a slow subscriber does not keep the others waiting. */
  wake(): void {
    this.#onWake?.()
  }

  /** Delivers everything that is due; resolves with when there is more, if ever. */
  async deliverDue(signal: AbortSignal): Promise<number | undefined> {
    const busy = new Map<string, Promise<void>>()
    for (;;) {
      const woken = new Promise<void>((resolve) => (this.#onWake = resolve))
      const heads = (await this.#heads()).filter(({ stream }) => !busy.has(stream))
      const due = signal.aborted ? [] : heads.filter(({ at }) => at <= this.#core.clock.now())
      for (const { id, stream } of due.slice(0, CONCURRENCY - busy.size)) {
        const delivery = this.#deliver(id, signal).finally(() => busy.delete(stream))
        busy.set(stream, delivery)
      }
      if (busy.size === 0) {
        const times = heads.map(({ at }) => at)
        return times.length === 0 ? undefined : Math.min(...times)
      }
      await Promise.race([woken, ...busy.values()])
    }
  }

  /** The oldest undelivered event of each stream. */
  async #heads(): Promise<{ id: number; stream: string; at: number }[]> {
    const rows = await this.#core.db.read
      .selectFrom('registry_deliveries')
      .where('state', '=', 'pending')
      .groupBy('stream')
      .select((select) => select.fn.min<number>('id').as('id'))
      .execute()
    if (rows.length === 0) return []
    const heads = await this.#core.db.read
      .selectFrom('registry_deliveries')
      .select(['id', 'stream', 'next_attempt_at as at'])
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .orderBy('next_attempt_at')
      .execute()
    return heads
  }

  async #deliver(id: number, signal: AbortSignal): Promise<void> {
    const { db } = this.#core
    const row = await db.read
      .selectFrom('registry_deliveries')
      .select(['id', 'stream', 'attempts', 'event_id as eventId', 'csp_id as cspId', 'category'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const subscription = await db.read
      .selectFrom('registry_subscriptions')
      .selectAll()
      .where('csp_id', '=', row.cspId)
      .where('category', '=', row.category)
      .executeTakeFirst()
    if (subscription === undefined) {
      await this.#settle(row, 'dropped', undefined)
      return
    }
    const secret = this.#core.vault.open(subscription.secret_sealed)
    const attempt = await this.#attempt(row, subscription.endpoint, secret, signal)
    if (signal.aborted) return
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300
    await this.#settle(row, isDelivered ? 'delivered' : 'pending', attempt)
  }

  async #attempt(due: Due, url: string, secret: string, signal: AbortSignal): Promise<Attempt> {
    const event = await this.#core.db.read
      .selectFrom('registry_events')
      .select(['body', 'type'])
      .where('event_id', '=', due.eventId)
      .executeTakeFirstOrThrow()
    const headers = {
      ...signedHeaders(event.body, secret, this.#core.clock.now()),
      'X-Trunkline-Event-Id': due.eventId,
      'X-Trunkline-Attempt': String(due.attempts + 1),
    }
    return postEvent(this.#outbound, { url, body: event.body, headers }, signal)
  }

  async #settle(
    due: Due,
    outcome: 'delivered' | 'pending' | 'dropped',
    attempt: Attempt | undefined,
  ): Promise<void> {
    const now = this.#core.clock.now()
    const wait = RETRY_MINUTES[due.attempts]
    const state = outcome === 'pending' && wait === undefined ? 'dead' : outcome
    const jitter = 1 + (Math.random() * 2 - 1) * JITTER
    await this.#core.db.write(async (tx) => {
      await tx
        .updateTable('registry_deliveries')
        .set({
          state,
          attempts: due.attempts + 1,
          next_attempt_at: Math.round(now + (wait ?? 0) * 60_000 * jitter),
        })
        .where('id', '=', due.id)
        .execute()
      if (attempt === undefined) return
      await tx
        .insertInto('registry_attempts')
        .values({
          delivery_id: due.id,
          attempt: due.attempts + 1,
          at: now,
          endpoint: attempt.endpoint,
          status: attempt.status,
          error: attempt.error,
          duration_ms: attempt.durationMs,
        })
        .execute()
    })
  }
}

/** `t=seconds,v1=hex`: HMAC-SHA-256 with the subscription's secret over `t.body`. */
export function signedHeaders(body: string, secret: string, now: number): Record<string, string> {
  const time = String(Math.floor(now / 1_000))
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return {
    'Content-Type': 'application/json',
    'X-Trunkline-Signature': `t=${time},v1=${signature}`,
  }
}

export interface EventPost {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** Never rejects: what went wrong is the attempt's `error`. */
export async function postEvent(
  outbound: Outbound,
  { url, body, headers }: EventPost,
  signal: AbortSignal,
): Promise<Attempt & { readonly response: string }> {
  try {
    const answer = await outbound.request(
      { method: 'POST', url, headers, body, totalTimeoutMs: TIMEOUT_MS, maxRedirects: 0 },
      signal,
    )
    const { status, timings } = answer
    return {
      endpoint: url,
      status,
      error: null,
      durationMs: Math.round(timings.totalMs),
      response: answer.body.toString('utf8'),
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { endpoint: url, status: null, error: error.message, durationMs: 0, response: '' }
  }
}
