/** The private listener of a running server, as its operator sees it. */
import { type CallEvent, subscribe } from './call-events.js'
import { readJson, send } from './send.js'
import { ServerRefusedError } from './server-error.js'

export interface OperatorTarget {
  readonly url: string
  readonly token: string
}

export class OperatorServer {
  readonly url: string
  readonly #token: string

  constructor({ url, token }: OperatorTarget) {
    this.url = url
    this.#token = token
  }

  /** Resolves with the answer of our own server; with undefined when it has no body. */
  async ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const request = { url: this.url, path, method, authorization: `Bearer ${this.#token}` }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const sent = { ...request, ...content, flag: '--admin-url' } as const
    // A 204 has no body, and then nothing is asked of the answer.
    return (await readJson(await send(sent), sent)) as Answer
  }

  /** Resolves once subscribed to the events of all calls. */
  async events(signal: AbortSignal): Promise<AsyncGenerator<CallEvent>> {
    await this.ask('GET', '/carriers') // Refusals are explained here.
    try {
      return await subscribe(this.url, this.#token, signal)
    } catch (cause) {
      throw new ServerRefusedError(`no events come from ${this.url}`, undefined, cause)
    }
  }
}
