import { z } from '@hono/zod-openapi'
import { routingPath } from '../api/api-request.js'
import { DescribedApp } from '../api/described-app.js'
import { descriptionOperation } from '../api/description-operation.js'
import { mountApi } from '../api/mount-api.js'
import { openGate } from '../api/open-gate.js'
import { type Operation, operationsOf } from '../api/operation.js'
import { plainDialect } from '../api/plain-dialect.js'
import type { Logger } from '../log.js'
import { docsAnswer } from './docs-page.js'

export interface PublicAppOptions {
  readonly version: string
  /** The URL at which customers reach it, for the description. */
  readonly url?: string
  /**
   * Tells whether the server is ready. It is not while a server that calls need is away; `detail`
   * says which.
   */
  readonly readiness: () => Readiness
  /** The functions that add an API's routes. */
  readonly mount: readonly ((app: DescribedApp) => void)[]
  readonly log: Logger
}

export interface Readiness {
  readonly isReady: boolean
  readonly detail: Readonly<Record<string, string>>
}

/** The app of the public listener: the APIs given, their description, and two health checks. */
export function createPublicApp(options: PublicAppOptions): DescribedApp {
  const app = new DescribedApp({ getPath: (request) => routingPath(request.url) })
  for (const mount of options.mount) mount(app)
  mountApi(app, {
    base: '',
    tag: 'Service',
    dialect: plainDialect,
    gate: openGate,
    operations: [
      ...healthOperations(options),
      descriptionOperation(app, {
        title: 'Trunkline',
        version: options.version,
        url: options.url ?? '/',
      }),
      operation({
        id: 'readDescription',
        summary: 'Read the description as a page',
        method: 'get',
        path: '/docs',
        isOpen: true,
        response: { mediaTypes: ['text/html'], description: 'A page for a browser.' },
        run: () => docsAnswer(),
      }),
    ],
    params: {},
    errors: [],
    hidesPaths: false,
    log: options.log,
  })
  return app
}

const operation = operationsOf<unknown>()

const readinessAnswer = z
  .object({ status: z.string().openapi({ description: 'ready, or not ready.' }) })
  .catchall(z.string())

function healthOperations({ version, readiness }: PublicAppOptions): Operation<unknown>[] {
  return [
    operation({
      id: 'getHealth',
      summary: 'Tell that the process answers',
      method: 'get',
      path: '/healthz',
      isOpen: true,
      response: z.object({
        status: z.literal('ok').openapi({ description: 'Always the same.' }),
        version: z.string().openapi({ description: 'The version of the server.' }),
      }),
      run: () => ({ status: 'ok', version }),
    }),
    operation({
      id: 'getReadiness',
      summary: 'Tell whether calls can be taken and placed: 200, or 503',
      method: 'get',
      path: '/readyz',
      isOpen: true,
      response: readinessAnswer,
      errors: [503],
      problems: { 503: readinessAnswer },
      run: () => {
        const { isReady, detail } = readiness()
        const body = { status: isReady ? 'ready' : 'not ready', ...detail }
        return Response.json(body, { status: isReady ? 200 : 503 })
      },
    }),
  ]
}
