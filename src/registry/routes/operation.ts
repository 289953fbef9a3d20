import { z } from '@hono/zod-openapi'
import { InvariantError } from '../../platform/errors.js'
import type { Upload } from '../services/files/attachments.js'
import type { Csp } from '../storage/csps.js'

export interface Download {
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: Buffer
}

export interface OperationRequest<Query = unknown, Body = unknown> {
  readonly csp: Csp
  /** A parameter of the path; the path must name it. */
  readonly param: (name: string) => string
  readonly query: Query
  readonly body: Body
  /** The `file` of a multipart body, of an operation whose body is one. */
  readonly file: () => Upload
  readonly signal: AbortSignal
}

/**
 * One operation of the registry API: what serves it, validates it, documents it in /openapi.json and
 * in docs/registry-operations.md.
 */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'delete'
  /** Below `/v2/csp`; parameters in braces. */
  readonly path: string
  /** Further paths of the same operation. */
  readonly aliases: readonly string[]
  /** The specification's name of it; undefined for what clients call beyond it. */
  readonly row: string | undefined
  /** The test file that shows it, below test/unit/registry. */
  readonly test: string
  readonly query: z.ZodType
  readonly body: z.ZodType | 'multipart' | undefined
  /** Undefined: 204. */
  readonly response: z.ZodType | 'file' | 'text' | undefined
  readonly run: (request: OperationRequest) => Promise<unknown>
}

interface OperationSpec<Query extends z.ZodType, Body extends z.ZodType> {
  readonly id: string
  readonly method: Operation['method']
  readonly path: string
  readonly aliases?: readonly string[]
  readonly row?: string
  readonly test: string
  readonly query?: Query
  readonly body?: Body | 'multipart'
  readonly response?: Operation['response']
  readonly run: (request: OperationRequest<z.infer<Query>, z.infer<Body>>) => Promise<unknown>
}

const nothing = z.object({})

export function operation<
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof nothing,
>(spec: OperationSpec<Query, Body>): Operation {
  return {
    aliases: [],
    row: undefined,
    response: undefined,
    body: undefined,
    query: nothing,
    ...spec,
    // Both are what the two schemas above made of them.
    run: (request) => spec.run(request as OperationRequest<z.infer<Query>, z.infer<Body>>),
  }
}

export function paramReader(params: Readonly<Record<string, string>>): (name: string) => string {
  return (name) => {
    const value = params[name]
    if (value === undefined) throw new InvariantError(`the path has no parameter ${name}`)
    return value
  }
}
