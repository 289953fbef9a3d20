import { z } from '@hono/zod-openapi'
import { wellFormed } from '../text.js'
import type { ApiRequest } from './api-request.js'
import { type Dialect, RefusedError } from './dialect.js'
import type { BodyFormat } from './operation.js'

/** Fields of a form; a repeated name has a list of its values. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>

/** Reads at most `max` bytes; throws `onTooMuch` without reading the rest of a longer body. */
export async function readBytes(
  request: Request,
  max: number,
  onTooMuch: () => Error,
): Promise<Buffer> {
  const declared = Number(request.headers.get('content-length') ?? '0')
  if (declared > max) throw onTooMuch()
  const chunks: Uint8Array[] = []
  let total = 0
  if (request.body === null) return Buffer.alloc(0)
  const body: ReadableStream<Uint8Array> = request.body
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return Buffer.concat(chunks)
      total += value.byteLength
      if (total > max) throw onTooMuch()
      chunks.push(value)
    }
  } finally {
    // The stream is no longer needed, whether it ended or not.
    await reader.cancel().catch(() => undefined) // the request's own failure was thrown above
  }
}

/** Throws RefusedError for a body in a content coding (RFC 9110 §8.4), since the server decodes none. */
export function refuseCoded(request: Pick<ApiRequest, 'header'>): void {
  const codings = request.header('content-encoding')
  if (codings === undefined || !hasBody(request)) return
  const isPlain = codings.split(',').every((each) => /^\s*(identity)?\s*$/i.test(each))
  if (!isPlain) throw new RefusedError({ type: 'coded-body' })
}

/** True unless the request has neither header, and so no body (RFC 9112 §6.3). */
function hasBody(request: Pick<ApiRequest, 'header'>): boolean {
  const isChunked = request.header('transfer-encoding') !== undefined
  return isChunked || Number(request.header('content-length') ?? '0') > 0
}

/** Reads a body in one of `formats`: the one of its content type, else the first. */
export async function readBody(
  request: Request,
  formats: readonly BodyFormat[],
  dialect: Pick<Dialect, 'maxBodyBytes' | 'readsJsonAsForm' | 'takesNullForAbsent'>,
): Promise<unknown> {
  const { maxBodyBytes, readsJsonAsForm, takesNullForAbsent } = dialect
  if (formats.includes('form') && isMultipart(request))
    return await readMultipart(request, maxBodyBytes)
  const text = await readText(request, maxBodyBytes)
  const [first = 'json'] = formats
  const format = formats.length === 1 ? first : (namedFormat(request, formats) ?? first)
  if (format === 'form') return readForm(text)
  const value = readJson(text)
  if (SURROGATE.test(text)) mendTexts(value)
  if (takesNullForAbsent === true) removeNulls(value)
  if (readsJsonAsForm === true) return formOfJson(value)
  refuseDeep(value)
  return value
}

function isMultipart(request: Request): boolean {
  return /^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? '')
}

/** Reads a multipart form (RFC 7578), without its files. */
async function readMultipart(request: Request, maxBytes: number): Promise<FormFields> {
  const bytes = await readBytes(
    request,
    maxBytes,
    () => new RefusedError({ type: 'body-too-large', maxBytes }),
  )
  const type = request.headers.get('content-type') ?? ''
  const whole = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
  let form: FormData
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the size is bounded, files are left out
    form = await whole.formData()
  } catch (error) {
    // The parser throws this for bytes that are not a multipart form.
    if (error instanceof TypeError)
      throw new RefusedError({ type: 'unreadable-body', format: 'form' })
    throw error
  }
  const fields = new URLSearchParams()
  for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value)
  return fieldsOf(fields)
}

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
const asText = (value: z.infer<typeof scalar>) => (value === null ? '' : String(value))
const jsonForm = z.record(
  z.string(),
  z.union([scalar.transform(asText), z.array(scalar.transform(asText))]),
)

function formOfJson(value: unknown): FormFields {
  const form = jsonForm.safeParse(value)
  if (form.success) return form.data
  throw new RefusedError({ type: 'unreadable-body', format: 'json' })
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const { headers } = request
  const declared = headers.get('content-length')
  const tooMuch = () => new RefusedError({ type: 'body-too-large', maxBytes })
  if (declared !== null && Number(declared) > maxBytes) throw tooMuch()
  // The HTTP parser delivers no more than the declared length.
  if (declared !== null && !headers.has('transfer-encoding')) return await request.text()
  return (await readBytes(request, maxBytes, tooMuch)).toString('utf8')
}

const MEDIA_TYPES: Readonly<Record<BodyFormat, string>> = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
}

function namedFormat(request: Request, formats: readonly BodyFormat[]): BodyFormat | undefined {
  const type = (request.headers.get('content-type') ?? '').toLowerCase()
  return formats.find((format) => type.startsWith(MEDIA_TYPES[format]))
}

export function mediaTypeOf(format: BodyFormat): string {
  return MEDIA_TYPES[format]
}

/** Reads JSON; an empty body is an empty object. */
function readJson(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new RefusedError({ type: 'unreadable-body', format: 'json' })
    throw error
  }
}

/** The JSON escape of a surrogate (RFC 8259 §7); a body may hold an unpaired one. */
const SURROGATE = /\\u[dD][89abAB]/

/** Replaces unpaired surrogates in a parsed body, since they cannot be stored. */
function mendTexts(parsed: unknown): void {
  eachMember(parsed, (holder, name, member) => {
    if (typeof member === 'string') holder[name] = wellFormed(member)
  })
}

/** Removes null fields from the objects of a parsed body; items of lists stay. */
function removeNulls(parsed: unknown): void {
  eachMember(parsed, (holder, name, member) => {
    if (member === null && !Array.isArray(holder)) Reflect.deleteProperty(holder, name)
  })
}

/**
 * Visits the members of every object and list of a parsed body. Not recursive, since the nesting may be deeper
 * than the stack.
 */
function eachMember(
  parsed: unknown,
  visit: (holder: Record<string, unknown>, name: string, member: unknown) => void,
): void {
  const waiting = [parsed]
  while (waiting.length > 0) {
    const holder = waiting.pop()
    if (typeof holder !== 'object' || holder === null) continue
    for (const [name, member] of Object.entries(holder)) {
      visit(holder as Record<string, unknown>, name, member)
      waiting.push(member)
    }
  }
}

/** Maximum nesting: more than any operation needs, and safe for recursive code. */
const MAX_LEVELS = 64

/** Throws RefusedError for a body that is nested too deeply. */
function refuseDeep(parsed: unknown): void {
  let level: readonly unknown[] = [parsed]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_LEVELS) throw tooDeep(parsed)
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? (Object.values(value) as unknown[]) : [],
    )
  }
}

function tooDeep(given: unknown): RefusedError {
  const message = `at most ${MAX_LEVELS} levels of nesting are expected`
  const issue: z.core.$ZodIssue = { code: 'custom', path: [], message, input: given }
  return new RefusedError({
    type: 'invalid',
    where: 'body',
    issues: [issue],
    given,
    schema: z.unknown(),
    fieldErrors: {},
  })
}

/** The words for JSON text where a form is expected. */
export const JSON_INSTEAD_OF_FORM =
  'the body is JSON: send the parameters as a form (application/x-www-form-urlencoded)'

/** True for a form whose body was JSON text: it became a name that begins with a bracket. */
export function isJsonText(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false
  return /^\s*[{[]\s*["{]/.test(Object.keys(given)[0] ?? '')
}

export function readForm(text: string): FormFields {
  return fieldsOf(new URLSearchParams(text))
}

/** Reads the fields of a form or a query. Names are data: `__proto__` is a name like any other. */
export function fieldsOf(pairs: URLSearchParams): FormFields {
  const fields: Record<string, string | string[]> = Object.create(null) as Record<
    string,
    string | string[]
  >
  for (const [name, value] of pairs) {
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else if (Array.isArray(before)) before.push(value)
    else fields[name] = [before, value]
  }
  return fields
}
