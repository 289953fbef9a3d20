/**
 * Sends ended spans to an OpenTelemetry collector by OTLP over HTTP
 * (https://opentelemetry.io/docs/specs/otlp/#otlphttp), in JSON.
 */
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { repeat } from '../../platform/async/repeat.js'
import type { Outbound } from '../../platform/http/outbound.js'
import { OutboundError } from '../../platform/http/outbound-error.js'
import type { Logger } from '../../platform/log.js'

export interface SpanSenderOptions {
  /** The collector's URL for traces, such as `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  /** Headers that prove who sends. */
  readonly headers: Readonly<Record<string, string>>
  readonly outbound: Pick<Outbound, 'request'>
  readonly log: Logger
}

const EVERY_MS = 1_000
const BATCH = 512
/** Maximum number of spans that wait; the newest are dropped beyond it, and counted. */
const MAX_WAITING = 8_192
const TIMEOUT_MS = 10_000
/** Time to send what waits when the process ends, ms. */
const LAST_MS = 3_000
/** The statuses after which a collector wants the same spans again (OTLP, "Retryable Response Codes"). */
const RETRIED = new Set([429, 502, 503, 504])

export class SpanSender implements SpanProcessor, AsyncDisposable {
  readonly #options: SpanSenderOptions
  readonly #sending: AsyncDisposable
  #waiting: ReadableSpan[] = []
  #dropped = 0
  /** True from a failure, which was logged, until a batch arrives. */
  #hasFailed = false

  constructor(options: SpanSenderOptions) {
    this.#options = options
    this.#sending = repeat({
      name: 'traces',
      log: options.log,
      everyMs: EVERY_MS,
      work: () => this.#sendAll(TIMEOUT_MS),
    })
  }

  /** Number of spans that were dropped since the start. */
  get dropped(): number {
    return this.#dropped
  }

  onStart(): void {
    // Only ended spans are sent.
  }

  onEnd(span: ReadableSpan): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(span)
    else this.#dropped += 1
  }

  forceFlush(): Promise<void> {
    return this.#sendAll(TIMEOUT_MS)
  }

  shutdown(): Promise<void> {
    return this[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sending[Symbol.asyncDispose]()
    await this.#sendAll(LAST_MS)
    this.#dropped += this.#waiting.length
    this.#waiting = []
  }

  /** Sends what waits, oldest first, until a batch fails. */
  async #sendAll(limitMs: number): Promise<void> {
    const signal = AbortSignal.timeout(limitMs)
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH)
      const result = await this.#send(batch, signal)
      if (result === 'again') return
      this.#waiting = this.#waiting.slice(batch.length)
      if (result === 'refused') this.#dropped += batch.length
    }
  }

  async #send(
    batch: readonly ReadableSpan[],
    signal: AbortSignal,
  ): Promise<'sent' | 'refused' | 'again'> {
    const { url, headers, outbound } = this.#options
    const body = Buffer.from(JsonTraceSerializer.serializeRequest([...batch]) ?? [])
    try {
      const { status } = await outbound.request(
        {
          method: 'POST',
          url,
          headers: { ...headers, 'Content-Type': 'application/json' },
          body,
          totalTimeoutMs: TIMEOUT_MS,
          // A redirect must not carry the headers to another server.
          maxRedirects: 0,
        },
        signal,
      )
      if (status >= 200 && status < 300) {
        this.#hasFailed = false
        return 'sent'
      }
      this.#failed(`the collector answered ${String(status)}`)
      return RETRIED.has(status) ? 'again' : 'refused'
    } catch (error) {
      if (!(error instanceof OutboundError) && !signal.aborted) throw error
      this.#failed(error instanceof Error ? error.message : String(error))
      return 'again'
    }
  }

  #failed(reason: string): void {
    if (!this.#hasFailed) this.#options.log.warn({ reason }, 'could not send traces')
    this.#hasFailed = true
  }
}
