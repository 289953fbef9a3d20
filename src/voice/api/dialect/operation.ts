import { z } from '@hono/zod-openapi'
import type { Account } from '../../../accounts/accounts.js'
import { listsOf } from '../../../platform/api/list-operation.js'
import { type Operation, operationsOf } from '../../../platform/api/operation.js'
import { voicePaging } from './voice-paging.js'

export type VoiceOperation = Operation<Account>

export const operation = operationsOf<Account>()

/** Declares a list operation with the paging of the voice API. */
export const list = listsOf<Account>(voicePaging)

/** Schemas of path parameters. */
export const PARAMS = {
  AccountSid: sid('AC', 'account'),
  CallSid: sid('CA', 'call'),
  ConferenceSid: sid('CF', 'conference'),
  QueueSid: sid('QU', 'queue'),
}

/** Schema of a sid in a path. */
export function sid(prefix: string, of: string): z.ZodType {
  return z
    .string()
    .regex(new RegExp(`^${prefix}[0-9a-f]{32}$`))
    .openapi({ description: `The sid of the ${of}: ${prefix} and 32 hex digits.` })
}

/** Schema of a string in a response, with its description. */
export const said = (description: string) => z.string().openapi({ description })
