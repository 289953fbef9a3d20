import { OpenAPIHono } from '@hono/zod-openapi'
import { DOCS_PAGE } from './docs-page.js'

export interface PublicAppOptions {
  readonly version: string
  /** Where customers reach it, for the description. */
  readonly url?: string
  /** Not ready while a server that calls need is away; `detail` says which. */
  readonly readiness: () => Readiness
  /** Adds an API's routes. */
  readonly mount: readonly ((app: OpenAPIHono) => void)[]
}

export interface Readiness {
  readonly isReady: boolean
  readonly detail: Readonly<Record<string, string>>
}

/** A path's trailing format is no part of the resource: stripped before routing. */
const FORMAT_SUFFIX = /\.(xml|wav|mp3|json)$/
/** Files whose own names end so. */
const KEEPS_SUFFIX = ['/openapi.json']

export function routingPath(url: string): string {
  const { pathname } = new URL(url)
  return KEEPS_SUFFIX.includes(pathname) ? pathname : pathname.replace(FORMAT_SUFFIX, '')
}

/** What the public listener serves: the APIs given, their description, and two health checks. */
export function createPublicApp(options: PublicAppOptions): OpenAPIHono {
  const { version } = options
  const app = new OpenAPIHono({ getPath: (request) => routingPath(request.url) })
  app.get('/healthz', (c) => c.json({ status: 'ok', version }))
  app.get('/readyz', (c) => {
    const { isReady, detail } = options.readiness()
    return c.json({ status: isReady ? 'ready' : 'not ready', ...detail }, isReady ? 200 : 503)
  })
  for (const mount of options.mount) mount(app)
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: { title: 'Trunkline', version },
    servers: [{ url: options.url ?? '/' }],
  })
  app.get('/docs', (c) => c.html(DOCS_PAGE))
  app.notFound((c) => c.json({ error: 'not found' }, 404))
  return app
}
