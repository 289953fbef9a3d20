import type { z } from '@hono/zod-openapi'
import { InvariantError } from '../../platform/errors.js'

/** The parts of a schema's definition that hold further schemas. */
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
 * Throws InvariantError for a body with an object that ignores fields which it does not know: a
 * customer's misspelt field would be lost without a word.
 */
export function refuseLoose(id: string, schema: z.core.$ZodType): void {
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
