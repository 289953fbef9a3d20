/** Asks a provider of the operator's choice, and reports all that goes wrong as one kind of failure. */
import type { z } from '@hono/zod-openapi'
import type { AdapterError } from '../errors.js'
import {
  createJsonClient,
  type JsonAnswer,
  type JsonClient,
  type JsonLimits,
  type JsonServer,
} from './json-client.js'
import type { Outbound } from './outbound.js'
import { OutboundError } from './outbound-error.js'

export interface ProviderOptions extends JsonLimits {
  /** The provider as the texts of its failures name it, such as `the emergency provider`. */
  readonly name: string
  readonly Failure: new (
    message: string,
    options?: { cause?: unknown; isRetryable?: boolean },
  ) => AdapterError
}

export interface ProviderClient {
  /** The host of the provider. */
  readonly host: string
  /** Resolves with any answer to a request below the URL. Rejects with the failure. */
  send(...request: Parameters<JsonClient['send']>): Promise<JsonAnswer>
  /** Returns the body of an answer. Throws the failure for one of another form. */
  read<Value>(schema: z.ZodType<Value>, answer: JsonAnswer): Value
  /** The failure of an answer whose status means nothing here; that of a server may pass. */
  unexpected(answer: JsonAnswer): AdapterError
}

export function createProviderClient(
  outbound: Pick<Outbound, 'request'>,
  server: JsonServer,
  { name, Failure, ...limits }: ProviderOptions,
): ProviderClient {
  const client = createJsonClient(outbound, server, limits)
  return {
    host: client.host,
    send: async (...request) => {
      try {
        return await client.send(...request)
      } catch (cause) {
        if (!(cause instanceof OutboundError)) throw cause
        throw new Failure(`${name} does not answer`, { cause, isRetryable: true })
      }
    },
    read: (schema, { body }) => {
      const result = schema.safeParse(body)
      if (result.success) return result.data
      throw new Failure(`the answer of ${name} was not understood`, { cause: result.error })
    },
    unexpected: ({ status }) =>
      new Failure(`${name} answered ${String(status)}`, { isRetryable: status >= 500 }),
  }
}
