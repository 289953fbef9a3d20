import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookParams } from '../../platform/webhooks/signature.js'

/**
 * A voice application as a customer would write it: two pages that return markup. It answers 403 to a request
 * that is not signed with the account's token.
 */
export interface DemoApp extends AsyncDisposable {
  readonly url: string
  /** Bodies of the status callbacks, in order of arrival. */
  readonly callbacks: readonly Readonly<Record<string, string>>[]
  /** True once a request arrived, while all had a valid signature. */
  readonly isAllSigned: boolean
  /** The pressed digits; undefined until the application receives them. */
  readonly digits: string | undefined
}

const MAX_BODY = 64 * 1024

export async function startDemoApp(authToken: string): Promise<DemoApp> {
  let refused = 0
  const callbacks: Record<string, string>[] = []
  let digits: string | undefined
  const pages: Readonly<Record<string, (form: Record<string, string>) => string>> = {
    '/voice': () =>
      response(
        `<Gather numDigits="2" timeout="8" action="/digits"><Say>Hello! This is your own telephone system. Please press four, then two.</Say></Gather><Say>I heard nothing. Goodbye.</Say>`,
      ),
    '/digits': (form) => {
      digits = form['Digits'] ?? ''
      return response(
        `<Say>You pressed ${digits.split('').join(', ')}. Thank you, and goodbye.</Say><Hangup/>`,
      )
    },
    '/status': (form) => {
      callbacks.push(form)
      return response('')
    },
  }
  const server = createServer((request, answer) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY) request.destroy()
      else chunks.push(chunk)
    })
    request.on('end', () => {
      const params = [...new URLSearchParams(Buffer.concat(chunks).toString('utf8'))]
      if (!isSigned(request, authToken, params)) {
        refused += 1
        answer.writeHead(403).end()
        return
      }
      const page = pages[request.url ?? '']
      const form = Object.fromEntries(params)
      answer.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/xml' })
      answer.end(page?.(form))
    })
  })
  await listen(server)
  const { port } = server.address() as AddressInfo // A TCP server's address is never a path.
  return {
    url: `http://127.0.0.1:${port}`,
    callbacks,
    get isAllSigned() {
      return callbacks.length > 0 && refused === 0
    },
    get digits() {
      return digits
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** True for a valid signature. The signed URL is the requested one; behind a proxy, the public one. */
function isSigned(
  { headers, url = '' }: IncomingMessage,
  authToken: string,
  params: WebhookParams,
): boolean {
  const signature = headers['x-compat-signature']
  if (typeof signature !== 'string') return false
  return verifyWebhook(authToken, signature, `http://${headers.host ?? ''}${url}`, params)
}

function response(verbs: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs}</Response>`
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.closeAllConnections()
    server.close(() => {
      resolve()
    })
  })
}
