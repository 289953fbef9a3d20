import { OpenAPIHono } from '@hono/zod-openapi'
import { withoutFlags } from './patterns.js'
import { ReadLane } from './read-lane.js'

type Registry = OpenAPIHono['openAPIRegistry']
type DocumentConfig = Parameters<OpenAPIHono['getOpenAPI31Document']>[0]
type Document = ReturnType<OpenAPIHono['getOpenAPI31Document']>

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
