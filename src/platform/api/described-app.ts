import { OpenAPIHono } from '@hono/zod-openapi'
import { ReadLane } from './read-lane.js'

type Registry = OpenAPIHono['openAPIRegistry']
type DocumentConfig = Parameters<OpenAPIHono['getOpenAPI31Document']>[0]
type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** A RegExp source followed by its flags, as in `/a/u`; a slash inside the source is escaped. */
const FLAGGED = /^(.*?)(?<!\\)\/([a-z]+)$/s

/** An application that describes its operations when the document is first requested, for a faster start. */
export class DescribedApp extends OpenAPIHono {
  /** Fast path of the reads mounted here; a listener tries it before the router. */
  readonly lane = new ReadLane()
  readonly #descriptions: ((registry: Registry) => void)[] = []

  /** Registers `describe`, which adds to the document when it is built. */
  describeLater(describe: (registry: Registry) => void): void {
    this.#descriptions.push(describe)
  }

  /** Returns the OpenAPI 3.1 document. */
  document(config: DocumentConfig): Document {
    for (const describe of this.#descriptions.splice(0)) describe(this.openAPIRegistry)
    const document = this.getOpenAPI31Document(config)
    withoutFlags(document)
    return document
  }
}

/**
 * Removes the flags that the generator appends to patterns, as in `/a/u`: no text would match them. JSON Schema
 * reads patterns with `u` and no other flag, so case-insensitive patterns are left out.
 */
function withoutFlags(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { pattern } = value as { readonly pattern?: unknown }
  const [, source, flags = ''] = typeof pattern === 'string' ? (FLAGGED.exec(pattern) ?? []) : []
  if (flags.includes('i')) Reflect.deleteProperty(value, 'pattern')
  else if (source !== undefined) Object.assign(value, { pattern: source })
  for (const member of Object.values(value)) withoutFlags(member)
}
