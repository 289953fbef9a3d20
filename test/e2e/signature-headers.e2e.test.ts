import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import twilio from 'twilio'
import { expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'

/** What one request to the application came to: its path, and what the middleware answered to it. */
interface Judged {
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
}

/** As much of an express application as the client library's middleware uses, over a real server. */
async function startExpressStyleApp(token: string) {
  const judged: Judged[] = []
  const middleware = twilio.webhook(token)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const answer = (status: number, type: string, body: string) => {
        judged.push({ path: request.url ?? '', status, headers: request.headers })
        response.writeHead(status, { 'content-type': type }).end(body)
      }
      const text = Buffer.concat(chunks).toString('utf8')
      const reply = {
        code: 200,
        type: () => reply,
        status: (code: number) => {
          reply.code = code
          return reply
        },
        send: (body: string) => {
          answer(reply.code, 'text/plain', body)
        },
      }
      const asked = {
        header: (name: string) => request.headers[name.toLowerCase()],
        get: (name: string) => request.headers[name.toLowerCase()],
        headers: request.headers,
        protocol: 'http',
        method: request.method,
        originalUrl: request.url,
        url: request.url,
        body: Object.fromEntries(new URLSearchParams(text)),
      }
      const pages: Readonly<Record<string, string>> = {
        '/voice':
          '<Response><Gather numDigits="2" timeout="8" action="/digits" method="GET"><Say>Hello.</Say></Gather></Response>',
        '/digits': '<Response><Hangup/></Response>',
      }
      const [path = ''] = (request.url ?? '').split('?')
      // The middleware's types are express's; what it uses of them is above.
      middleware(asked, reply, () => {
        answer(200, 'text/xml', pages[path] ?? '<Response/>')
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server's address is never a path
  return {
    url: `http://127.0.0.1:${port}`,
    judged,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it("the client library's own middleware accepts every webhook of a server without settings", async () => {
  await using trunkline = await joinTrunkline()
  await using app = await startExpressStyleApp(trunkline.account.secret)
  // Phone 0004 answers and presses 4, then 2.
  const { sid } = await trunkline.createCall({
    To: '+15005550004',
    From: '+15005550000',
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/status?lang=en`,
    StatusCallbackEvent: 'initiated ringing answered completed',
    Record: 'true',
    RecordingStatusCallback: `${app.url}/recording`,
  })
  await expect
    .poll(() => app.judged.filter(({ path }) => path.startsWith('/status')).length, {
      timeout: 40_000,
    })
    .toBe(4)
  await expect
    .poll(() => app.judged.some(({ path }) => path === '/recording'), { timeout: 20_000 })
    .toBe(true)
  expect((await trunkline.fetchCall(sid)).status).toBe('completed')
  expect(app.judged.filter(({ status }) => status !== 200)).toEqual([])
  const paths = new Set(app.judged.map(({ path }) => path.split('?')[0]))
  expect(paths).toEqual(new Set(['/voice', '/digits', '/status', '/recording']))
  for (const { headers } of app.judged)
    expect(headers['x-compat-signature']).toBe(headers['x-twilio-signature'])
})
