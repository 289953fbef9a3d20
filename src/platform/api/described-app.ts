import { OpenAPIHono } from '@hono/zod-openapi'
import { ReadLane } from './read-lane.js'

type Registry = OpenAPIHono['openAPIRegistry']
type DocumentConfig = Parameters<OpenAPIHono['getOpenAPI31Document']>[0]
type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** The end of a RegExp that was written with its flags; a slash within one is escaped. */
const FLAGGED = /^(.*?)(?<!\\)\/([a-z]+)$/s

/**
 * An application whose operations are described when somebody asks for the document: a server that
 * nobody asks starts sooner.
 */
export class DescribedApp extends OpenAPIHono {
  /** The short way of the reads that are mounted here, for a listener that asks it first. */
  readonly lane = new ReadLane()
  readonly #descriptions: ((registry: Registry) => void)[] = []

  /** Adds what `describe` registers to the document. */
  describeLater(describe: (registry: Registry) => void): void {
    this.#descriptions.push(describe)
  }

  /** The OpenAPI 3.1 document of all that was added. */
  document(config: DocumentConfig): Document {
    for (const describe of this.#descriptions.splice(0)) describe(this.openAPIRegistry)
    const document = this.getOpenAPI31Document(config)
    withoutFlags(document)
    return document
  }
}

/**
 * Takes the flags from the patterns of a document, where the generator leaves them behind a slash: no
 * text matches that. JSON Schema reads a pattern as with `u` and without any other flag, so one that
 * ignores the case is left out.
 */
function withoutFlags(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { pattern } = value as { readonly pattern?: unknown }
  const [, source, flags = ''] = typeof pattern === 'string' ? (FLAGGED.exec(pattern) ?? []) : []
  if (flags.includes('i')) Reflect.deleteProperty(value, 'pattern')
  else if (source !== undefined) Object.assign(value, { pattern: source })
  for (const member of Object.values(value)) withoutFlags(member)
}
