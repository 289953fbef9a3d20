import { expect, it } from 'vitest'
import { openPrivateListener } from '../../../src/wiring/private-listener.js'

const MIB = 1024 * 1024

it.each<[string, number, unknown]>([
  ['/accounts', 413, { error: `the body is larger than ${MIB} bytes` }],
  ['/registry/csps/S000001', 400, [{ code: 501, fields: ['body'] }]],
])('a body that is too large is refused at %s in the shape of its operations', async (path, status, body) => {
  const app = { fetch: () => new Response() }
  await using listener = await openPrivateListener(app, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${listener.port}${path}`
  const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(MIB + 1) })
  expect(answer.status).toBe(status)
  expect(await answer.json()).toMatchObject(body as object)
})
