import { expect, it } from 'vitest'
import { createAdminApi } from '../../../src/admin/admin-api.js'
import { setUpCalls } from '../../support/voice/calls-fixture.js'

const TOKEN = 'secret'

async function put(body: object) {
  await using bench = await setUpCalls()
  const metrics = () => Promise.resolve('')
  const app = createAdminApi({ ...bench, version: '0', token: TOKEN, parts: [], metrics })
  const answer = await app.request('/carriers/acme', {
    method: 'PUT',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

it.each([
  [{ host: 'sip:192.0.2.1' }, { host: '192.0.2.1', port: null, transport: 'udp' }],
  [
    { host: 'sip:192.0.2.1:5080;transport=tcp' },
    { host: '192.0.2.1', port: 5080, transport: 'tcp' },
  ],
  [
    { host: 'sip.test:5080', port: 5080, transport: 'tcp' },
    { host: 'sip.test', port: 5080, transport: 'tcp' },
  ],
])('%j is kept by its parts', async (body, shown) => {
  expect(await put(body)).toMatchObject({ status: 200, body: shown })
})

it.each([
  [{ host: 'sip.test:5080', port: 5090 }, 'port: the host names port 5080, and port another'],
  [
    { host: 'sip.test;transport=tcp', transport: 'udp' },
    'transport: the host names tcp, and transport another',
  ],
  [
    { host: 'https://sip.test' },
    'host: a host name or an address is expected, such as sip.example.com or 192.0.2.1',
  ],
])('%j is refused in words', async (body, error) => {
  expect(await put(body)).toEqual({ status: 400, body: { error } })
})
