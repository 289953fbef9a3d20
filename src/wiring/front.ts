/** The public listener: it has its port before there is anything to serve. */
import type { ListenAddress } from '../config.js'
import { type ListenerApp, startListener } from '../platform/http/listener.js'
import { tooLarge } from '../voice/api/voice-dialect.js'

export interface Front extends AsyncDisposable {
  readonly url: string
  /** Answers with the app from now on. */
  serve(app: FrontApp): void
}

export interface FrontApp extends ListenerApp {
  /** Uploads, whose handler reads them as they come and has a limit of its own. */
  isUpload(method: string, path: string): boolean
}

/** Listens, and answers 503 until it is given what to serve: what must know our URL comes first. */
export async function openFront({ host, port }: ListenAddress): Promise<Front> {
  let app: FrontApp = { fetch: starting, isUpload: () => false }
  const listener = await startListener(
    { fetch: (request, env) => app.fetch(request, env) },
    { host, port, tooLarge, isUpload: (method, path) => app.isUpload(method, path) },
  )
  return {
    url: `http://${host}:${listener.port}`,
    serve: (served) => {
      app = served
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
}

function starting(): Response {
  return Response.json({ status: 'starting' }, { status: 503, headers: { 'retry-after': '1' } })
}
