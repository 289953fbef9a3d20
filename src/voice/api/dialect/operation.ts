import { z } from '@hono/zod-openapi'
import type { Account } from '../../../accounts/accounts.js'
import { listsOf } from '../../../platform/api/list-operation.js'
import { type Operation, operationsOf } from '../../../platform/api/operation.js'
import { voicePaging } from './voice-paging.js'

export type VoiceOperation = Operation<Account>

/** Declares an operation that an account may call. */
export const operation = operationsOf<Account>()

/** Declares an operation that answers a page of records. */
export const list = listsOf<Account>(voicePaging)

/** Schemas of the parameters that occur in paths. */
export const PARAMS = {
  AccountSid: sid('AC', 'account'),
  CallSid: sid('CA', 'call'),
  ConferenceSid: sid('CF', 'conference'),
  QueueSid: sid('QU', 'queue'),
}

/** The schema of a path parameter that is the sid of a resource. */
export function sid(prefix: string, of: string): z.ZodType {
  return z
    .string()
    .regex(new RegExp(`^${prefix}[0-9a-f]{32}$`))
    .openapi({ description: `The sid of the ${of}: ${prefix} and 32 hex digits.` })
}

/** A text field of an answer, with the description of its meaning. */
export const said = (description: string) => z.string().openapi({ description })
