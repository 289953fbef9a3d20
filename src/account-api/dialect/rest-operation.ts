import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { type Operation, type OperationSpec, operationsOf } from '../../platform/api/operation.js'
import { refuseLoose } from './refuse-loose.js'

export type AccountOperation = Operation<Account>

/** Declares an operation that writes its whole answer by itself, such as a page. */
export const operation = operationsOf<Account>()

/**
 * Declares an operation of the REST style: `data` has the schema, and is what `run` makes. Its body
 * refuses unknown fields.
 */
export function rest<
  const Path extends string,
  Query extends z.ZodType = z.ZodObject<Record<string, never>>,
  Body extends z.ZodType = z.ZodObject<Record<string, never>>,
  Prepared = undefined,
>(
  spec: OperationSpec<Account, Path, Query, Body, never, Prepared> & { readonly data: z.ZodType },
): AccountOperation {
  const { data, run, ...rest } = spec
  if (spec.body !== undefined) refuseLoose(spec.id, spec.body)
  return operation({
    ...rest,
    response: z.object({
      status: z.literal('success').openapi({ description: 'Always the same.' }),
      data: data.openapi({ description: 'What was asked for.' }),
    }),
    run: async (request, prepared) => ({ status: 'success', data: await run(request, prepared) }),
  })
}
