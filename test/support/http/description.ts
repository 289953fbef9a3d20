import { z } from 'zod'
import type { DescribedApp } from '../../../src/platform/api/described-app.js'
import type { SentAnswer } from './answer-fault.js'

type Schema = Parameters<typeof z.fromJSONSchema>[0]

interface DescribedAnswer {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, DescribedAnswer>> }>>
    >
  >
  readonly components?: { readonly schemas?: object }
}

/** Removes patterns that need the flag `u`, which the validator does not set. */
function withoutUnicodePatterns(name: string, value: unknown): unknown {
  const needsUnicode = name === 'pattern' && typeof value === 'string' && /\\p\{/i.test(value)
  return needsUnicode ? undefined : value
}

/** The description of an app, as served at `/openapi.json`. */
export class Description {
  readonly #document: Document
  readonly #schemas = new Map<object, z.ZodType>()

  constructor(app: DescribedApp) {
    const document = app.document({ openapi: '3.1.0', info: { title: 'test', version: '0' } })
    // The document as sent, with its references converted to JSON Schema.
    const text = JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/')
    this.#document = JSON.parse(text, withoutUnicodePatterns) as Document // by its own standard
  }

  has(method: string, path: string): boolean {
    return this.#document.paths[path]?.[method.toLowerCase()] !== undefined
  }

  /** Statuses and media types of an operation's answers. */
  answersOf(method: string, path: string): Readonly<Record<string, readonly string[]>> {
    const { responses = {} } = this.#document.paths[path]?.[method.toLowerCase()] ?? {}
    return Object.fromEntries(
      Object.entries(responses).map(([status, { content = {} }]) => [status, Object.keys(content)]),
    )
  }

  /** Returns how an answer differs from its description; undefined when it conforms. */
  faultOf(
    method: string,
    path: string,
    { status, mediaType, text }: SentAnswer,
  ): string | undefined {
    const operation = this.#document.paths[path]?.[method.toLowerCase()]
    if (operation === undefined) return `${method} ${path} is not described`
    const described = operation.responses[String(status)]
    if (described === undefined) return `${status} is not described: ${text}`
    const { content } = described
    if (content === undefined) return text === '' ? undefined : `a body is not described: ${text}`
    // A redirect, or a download with its own media type.
    if (Object.keys(content).length === 0) return undefined
    const schema = (content[mediaType] ?? content['*/*'])?.schema
    if (schema === undefined) return `${mediaType} is not described for ${status}: ${text}`
    if (mediaType !== 'application/json') return undefined
    const checked = this.#schemaOf(schema).safeParse(JSON.parse(text))
    return checked.success ? undefined : `${z.prettifyError(checked.error)} in ${text}`
  }

  #schemaOf(schema: object): z.ZodType {
    const known = this.#schemas.get(schema)
    if (known !== undefined) return known
    const whole = { ...schema, $defs: this.#document.components?.schemas ?? {} }
    const made = z.fromJSONSchema(whole as Schema)
    this.#schemas.set(schema, made)
    return made
  }
}
