/** The errors that an operation may answer, as `/openapi.json` describes them. Pure. */
import { z } from '@hono/zod-openapi'
import type { Api } from './api.js'
import { type Refusal, type RefusedRequest, refusalAnswer } from './dialect.js'
import { isRawAnswer, type Operation } from './operation.js'

/** The parts of an API that its errors come from. */
export type DescribedApi<Caller> = Pick<
  Api<Caller>,
  'errors' | 'dialect' | 'gate' | 'idempotency' | 'maxInProgress'
>

/** The schemas of an error's body, by media type. */
export type ErrorContent = Readonly<Record<string, z.ZodType>>

/** Describes each error by its status. */
export function errorsOf<Caller>(
  operation: Operation<Caller>,
  api: DescribedApi<Caller>,
): ReadonlyMap<number, ErrorContent> {
  const { problem, problems = {} } = api.dialect
  const errors = new Map<number, ErrorContent>()
  for (const status of [...commonTo(operation, api.errors), ...refusedWith(operation, api)])
    errors.set(status, contentOf(problems[status] ?? problem, api))
  for (const status of operation.errors) {
    const own = contentOf(operation.problems?.[status] ?? problems[status] ?? problem, api)
    errors.set(status, answersPages(operation) ? { ...errors.get(status), ...PAGE } : own)
  }
  return errors
}

/** An error's body in each media type that the dialect writes it in. */
function contentOf<Caller>(problem: z.ZodType, { dialect }: DescribedApi<Caller>): ErrorContent {
  const { problemType = 'application/json', encodedTypes = [] } = dialect
  const encoded = Object.fromEntries(encodedTypes.map((type) => [type, z.string()]))
  return { [problemType]: problem, ...encoded }
}

/** True when an `Idempotency-Key` of the operation is obeyed. */
export function takesKey<Caller>(
  { idempotency, isOpen }: Operation<Caller>,
  api: Pick<Api<Caller>, 'idempotency' | 'gate'>,
): boolean {
  if (idempotency === 'own') return true
  const isKept = api.idempotency !== undefined && idempotency !== 'none'
  return isKept && (!isOpen || api.gate.nameOfAnyone !== undefined)
}

const PAGE: ErrorContent = { 'text/html': z.string() }

/** True for an operation whose errors are pages as well: whoever opens a link reads them. */
function answersPages<Caller>({ response }: Operation<Caller>): boolean {
  return isRawAnswer(response) && response.mediaTypes.includes('text/html')
}

/** Nobody needs credentials for an open operation; one that checks them itself says so. */
function commonTo<Caller>({ isOpen }: Operation<Caller>, errors: readonly number[]) {
  return errors.filter((status) => !isOpen || (status !== 401 && status !== 403))
}

/** The statuses with which the kit refuses requests for the operation, in the words of the dialect. */
function refusedWith<Caller>(
  operation: Operation<Caller>,
  api: DescribedApi<Caller>,
): readonly number[] {
  const refusals: Refusal[] = []
  if (operation.body !== undefined)
    refusals.push({ type: 'body-too-large', maxBytes: 0 }, { type: 'coded-body' })
  if (takesKey(operation, api))
    refusals.push(
      { type: 'bad-idempotency-key', maxChars: 0 },
      { type: 'idempotency-key-reused' },
      { type: 'idempotency-key-in-use' },
    )
  if (api.maxInProgress !== undefined) refusals.push({ type: 'overloaded' })
  return refusals.map((refusal) => refusalAnswer(api.dialect, refusal, SOME_REQUEST).status)
}

const SOME_REQUEST: RefusedRequest = { method: 'POST', path: '/', origin: 'http://localhost' }
