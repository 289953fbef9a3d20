import { z } from '@hono/zod-openapi'
import type { Account } from '../../accounts/accounts.js'
import type { OperationRequest, OperationSpec } from '../../platform/api/operation.js'
import { InvariantError } from '../../platform/errors.js'
import { shownText } from '../fields.js'
import { ApiFailure } from './api-failure.js'
import { type AccountOperation, operation } from './rest-operation.js'

/** The API key of the account; the gate reads it unless there is an Authorization header. */
const apikey = z
  .unknown()
  .optional()
  .openapi({ type: 'string', description: 'The key of the account, unless a header has it.' })

export const message = shownText('What was done, for a person.')

const bodyOf = <Fields extends z.ZodRawShape>(fields: Fields, isOpen: boolean | undefined) =>
  // The schema includes the key, which only the gate reads.
  z.object({ ...fields, ...(isOpen === true ? {} : { apikey }) }) as unknown as z.ZodObject<Fields>

const responseOf = (keys: z.ZodRawShape) =>
  z.object({
    statusCode: z.literal('200').openapi({ description: 'The status, as a text.' }),
    status: z.literal('Success').openapi({ description: 'Always the same.' }),
    ...keys,
  })

const succeeded = (keys: object) => ({ statusCode: '200', status: 'Success', ...keys })

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
  /** Fields of the body, except the key. */
  readonly body?: Body
  /** Checks the fields together, once each one is valid. */
  readonly check?: (fields: z.output<z.ZodObject<Body>>, context: z.RefinementCtx) => void
  /** Keys of the answer, except `statusCode` and `status`. */
  readonly keys: Keys
}

/** Declares an operation of the legacy style; `run` returns the keys of the answer. */
export function legacy<
  const Path extends string,
  Keys extends z.ZodRawShape,
  Body extends z.ZodRawShape = Record<string, never>,
  Prepared = undefined,
>(spec: LegacySpec<Path, Body, Keys, Prepared>): AccountOperation {
  const { body, check, keys, run, method = 'post', ...rest } = spec
  const fields = bodyOf(body ?? ({} as Body), spec.isOpen) // none where the spec has none
  return operation({
    ...rest,
    method,
    body: check === undefined ? fields : fields.superRefine(check),
    response: responseOf(keys),
    run: async (request, prepared) => succeeded((await run(request, prepared)) as object), // the keys
  })
}

type Members = Readonly<Record<string, unknown>>
/** Legacy names, each with its REST name. */
type Names = Readonly<Record<string, string>>

/** A member of the data with its own schema and renamed members. */
interface Renamed {
  readonly of: string
  readonly schema: z.ZodType
  readonly names?: Names
}

/** A legacy command that runs a REST operation. */
export interface LegacyCommand
  extends Partial<
    Pick<AccountOperation, 'aliases' | 'summary' | 'description' | 'row' | 'errors'>
  > {
  readonly id: string
  /** The id of the REST operation. */
  readonly does: string
  readonly path: string
  /** Fields of the body; by default those of the operation. */
  readonly body?: z.ZodRawShape
  /** Fields with another name in the operation. */
  readonly as?: Names
  /** Checks the fields together, once each one is valid. */
  readonly check?: (fields: Members, context: z.RefinementCtx) => void
  /** Fixed values for the operation, which the command does not send. */
  readonly always?: Members
  /** The `message` of the answer. */
  readonly says?: string
  /** Keys of the answer, each with its member of the data; by default the members themselves. */
  readonly gives?: Readonly<Record<string, string | Renamed>>
  /** Key of a list that must not be empty: otherwise the answer is 404. */
  readonly needs?: string
  /** Keys beside a partial failure, each with its member of the data. */
  readonly refuses?: Names
  /** The start of an error text in the REST style, and its replacement here. */
  readonly words?: readonly [rest: string, legacy: string]
}

/** Creates the commands from the REST operations that they name. */
export function legacyOver(
  operations: readonly AccountOperation[],
  ...commands: readonly LegacyCommand[]
): AccountOperation[] {
  return commands.map((command) => {
    const same = operations.find(({ id }) => id === command.does)
    if (same === undefined) throw new InvariantError(`there is no operation ${command.does}`)
    return commandOver(same, command)
  })
}

function commandOver(same: AccountOperation, command: LegacyCommand): AccountOperation {
  const { id, path, aliases = [], row, body, as = {}, check, always, says, gives, needs } = command
  const { summary = same.summary, description, errors = same.errors } = command
  const data = membersOf(membersOf(same.response)['data'])
  const given = gives ?? Object.fromEntries(Object.keys(data).map((key) => [key, key]))
  const said = says === undefined ? {} : { message: says }
  const keys = { ...(says === undefined ? {} : { message }), ...schemasOf(data, given) }
  const fields = bodyOf(body ?? { ...membersOf(same.query), ...membersOf(same.body) }, same.isOpen)
  const asked = (request: OperationRequest<Account>) => {
    const named = Object.entries(request.body as Members) // an object by its schema
    const values = {
      ...Object.fromEntries(named.map(([key, it]) => [as[key] ?? key, it])),
      ...always,
    }
    // The operation reads its own fields from path, query and body.
    return { ...request, params: values as Record<string, string>, query: values, body: values }
  }
  const { prepare } = same
  return {
    ...same,
    ...{ id, path, aliases, row, summary, description, errors },
    ...{ method: 'post', rate: 'write', status: 200, makesTarget: undefined },
    ...{ params: {}, query: z.object({}), response: responseOf(keys) },
    body: check === undefined ? fields : fields.superRefine(check),
    prepare: prepare && ((request) => inWordsOf(command, () => prepare(asked(request)))),
    run: async (request, prepared) => {
      const answer = await inWordsOf(command, () => same.run(asked(request), prepared))
      const shown = keysFrom((answer as { readonly data: Members }).data, given)
      if (needs !== undefined && (shown[needs] as readonly unknown[]).length === 0)
        throw new ApiFailure(404, 'Not Found', { [needs]: [] })
      return succeeded({ ...said, ...shown })
    },
  }
}

function membersOf(schema: unknown): z.ZodRawShape {
  return schema instanceof z.ZodObject ? schema.shape : {}
}

function schemasOf(data: z.ZodRawShape, given: NonNullable<LegacyCommand['gives']>) {
  const schemas: Record<string, z.core.$ZodType> = {}
  for (const [key, taken] of Object.entries(given)) {
    const schema = typeof taken === 'string' ? data[taken] : taken.schema
    if (schema === undefined) throw new InvariantError(`there is no member for ${key}`)
    schemas[key] = schema
  }
  return schemas
}

function keysFrom(data: Members, given: NonNullable<LegacyCommand['gives']>): Members {
  const entries = Object.entries(given).map(([key, taken]) => {
    if (typeof taken === 'string') return [key, data[taken]]
    const { of, names } = taken
    const value = data[of]
    if (names === undefined) return [key, value]
    const renamed = (each: unknown) => keysFrom(each as Members, names) // of an object by its schema
    return [key, Array.isArray(value) ? value.map(renamed) : renamed(value)]
  })
  return Object.fromEntries(entries) as Members
}

/** Runs `work`; its failure gets the names, keys and texts of the command. */
async function inWordsOf<Result>(
  { as = {}, refuses, words }: LegacyCommand,
  work: () => Result,
): Promise<Awaited<Result>> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    const { status, legacyStatus = status, message: said, beside } = error.failure
    const named = Object.entries(as).map(([field, name]) => [`${name}: `, `${field}: `] as const)
    const known = words === undefined ? named : [words, ...named]
    const [before, after] = known.find(([each]) => said.startsWith(each)) ?? ['', '']
    const data = beside?.['data']
    throw new ApiFailure(
      [status, legacyStatus],
      after + said.slice(before.length),
      refuses === undefined || data === undefined ? beside : keysFrom(data as Members, refuses),
    )
  }
}
