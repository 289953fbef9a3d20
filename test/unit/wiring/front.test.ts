import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFront } from '../../../src/wiring/front.js'

const MIB = 1024 * 1024
const plain = { error: `the body is larger than ${MIB} bytes` }

// Its end waits for clients that keep their connections: once for all rows.
let front: Awaited<ReturnType<typeof openFront>>
beforeAll(async () => {
  front = await openFront(
    { host: '127.0.0.1', port: 0 },
    { isKnown: () => true, isProxy: () => false },
  )
})
afterAll(() => front[Symbol.asyncDispose]())

it.each<[string, number, unknown]>([
  ['/payments/webhook', 413, plain],
  ['/message-provider/receipts', 413, plain],
  ['/message-provider/messages', 413, plain],
  ['/v2.2/orders', 413, { status: 'error' }],
  ['/v2.1/messaging/sms/', 413, { status: 'Error' }],
  ['/v2/csp/brand', 400, [{ code: 501 }]],
  ['/2010-04-01/Accounts.json', 413, { code: 20413 }],
])('a body that is too large is refused at %s in the shape of its API', async (path, status, body) => {
  const answer = await fetch(`${front.url}${path}`, { method: 'POST', body: 'x'.repeat(MIB + 1) })
  expect(answer.status).toBe(status)
  expect(await answer.json()).toMatchObject(body as object)
})
