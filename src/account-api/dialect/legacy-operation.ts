import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { OperationSpec } from '../../platform/api/operation.js'
import { type AccountOperation, operation } from './rest-operation.js'

/** The key of the account; the gate reads it, unless there is a header. */
const apikey = z
  .unknown()
  .optional()
  .openapi({ type: 'string', description: 'The key of the account, unless a header has it.' })

type LegacySpec<
  Path extends string,
  Body extends z.ZodRawShape,
  Keys extends z.ZodRawShape,
  Prepared,
> = Omit<
  OperationSpec<Account, Path, z.ZodObject, z.ZodObject<Body>, never, Prepared>,
  'method' | 'query' | 'body' | 'response' | 'status'
> & {
  readonly method?: 'post' | 'delete'
  /** The fields of the body besides the key. */
  readonly body?: Body
  /** Checks the fields together, once each of them is right. */
  readonly check?: (fields: z.output<z.ZodObject<Body>>, context: z.RefinementCtx) => void
  /** The keys of the answer besides `statusCode` and `status`. */
  readonly keys: Keys
}

/** Declares an operation of the legacy style; `run` makes the keys of the answer. */
export function legacy<
  const Path extends string,
  Keys extends z.ZodRawShape,
  Body extends z.ZodRawShape = Record<string, never>,
  Prepared = undefined,
>(spec: LegacySpec<Path, Body, Keys, Prepared>): AccountOperation {
  const { body, check, keys, run, method = 'post', ...rest } = spec
  const given = z.object({ ...(body ?? {}), ...(spec.isOpen === true ? {} : { apikey }) })
  // With the key, which only the gate reads.
  const fields = given as unknown as z.ZodObject<Body>
  return operation({
    ...rest,
    method,
    body: check === undefined ? fields : fields.superRefine(check),
    response: z.object({
      statusCode: z.literal('200').openapi({ description: 'The status, as a text.' }),
      status: z.literal('Success').openapi({ description: 'Always the same.' }),
      ...keys,
    }),
    run: async (request, prepared) => ({
      statusCode: '200',
      status: 'Success',
      ...((await run(request, prepared)) as object), // the keys of the answer
    }),
  })
}
