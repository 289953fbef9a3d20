import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { RequestSource } from './api-request.js'

/** A request that came through the router. */
export class ContextSource implements RequestSource {
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  get method(): string {
    return this.#context.req.method
  }

  get path(): string {
    return this.#context.req.path
  }

  get url(): string {
    return this.#context.req.url
  }

  get writtenUrl(): string {
    return this.#incoming?.url ?? this.#context.req.url
  }

  get peer(): string {
    return this.#incoming?.socket.remoteAddress ?? ''
  }

  get raw(): Request {
    return this.#context.req.raw
  }

  get signal(): AbortSignal {
    return this.#context.req.raw.signal
  }

  params(): Readonly<Record<string, string>> {
    return this.#context.req.param()
  }

  header(name: string): string | undefined {
    return this.#context.req.header(name)
  }

  /** The request as the socket brought it; undefined for one that no socket brought. */
  get #incoming(): HttpBindings['incoming'] | undefined {
    return (this.#context.env as Partial<HttpBindings> | undefined)?.incoming
  }
}
