import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import { type Operation, type OperationSpec, operationsOf } from '../../platform/api/operation.js'
import { InvariantError } from '../../platform/errors.js'

export type AccountOperation = Operation<Account>

/** The operations of a feature in both styles; `numbering`: the legacy style below `/v2`. */
export interface Styles {
  readonly rest?: readonly AccountOperation[]
  readonly legacy?: readonly AccountOperation[]
  readonly numbering?: readonly AccountOperation[]
}

/** Declares an operation that returns its complete answer, such as a page. */
export const operation = operationsOf<Account>()

/** The parts of a schema's definition that contain further schemas. */
interface Definition {
  readonly type: string
  readonly catchall?: z.core.$ZodType
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly element?: z.core.$ZodType
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly out?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
}

/**
 * Declares an operation of the REST style: `run` returns `data`, which has the schema `data`. Its body refuses
 * unknown fields.
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

/**
 * Throws InvariantError for a body schema that ignores unknown fields: a customer's misspelt field would be
 * lost silently.
 */
function refuseLoose(id: string, schema: z.core.$ZodType): void {
  const definition: Definition = schema._zod.def
  if (definition.type === 'object' && definition.catchall?._zod.def.type !== 'never')
    throw new InvariantError(`${id} ignores unknown fields of its body`)
  for (const inner of schemasIn(definition)) refuseLoose(id, inner)
}

function schemasIn(definition: Definition): readonly z.core.$ZodType[] {
  const { shape = {}, element, innerType, in: before, out: after, options = [] } = definition
  const all = [...Object.values(shape), element, innerType, before, after, ...options]
  return all.filter((each) => each !== undefined)
}
