import { expect, it } from 'vitest'
import { readConfig } from '../../../src/config.js'
import { createOutbound } from '../../../src/platform/http/outbound.js'
import { createLogger } from '../../../src/platform/log.js'
import { createRegistryClient } from '../../../src/registry/providers/registry-client.js'
import { HttpSink } from '../../support/http/http-sink.js'

const all = {
  REGISTRY_UPSTREAM_URL: 'https://registry.example/v2/csp/',
  REGISTRY_UPSTREAM_KEY: 'k',
  REGISTRY_UPSTREAM_SHARE_WITH: 'SABCDEF',
}

it('takes a registry above from the environment', () => {
  expect(readConfig({}).registryUpstream).toBeUndefined()
  expect(readConfig(all).registryUpstream).toEqual({
    url: 'https://registry.example/v2/csp',
    key: 'k',
    secret: undefined,
    cnpId: 'ABOVE',
    displayName: 'Upstream registry',
    shareWith: 'SABCDEF',
  })
})

it.each([
  ['REGISTRY_UPSTREAM_URL', undefined],
  ['REGISTRY_UPSTREAM_URL', 'ftp://registry.example'],
  ['REGISTRY_UPSTREAM_KEY', undefined],
  ['REGISTRY_UPSTREAM_SHARE_WITH', ''],
  ['REGISTRY_UPSTREAM_CNP', 'no!'],
])('names %s when it is %s', (name, value) => {
  expect(() => readConfig({ ...all, [name]: value })).toThrow(name)
})

it.each([
  [undefined, 'Bearer key'],
  ['secret', `Basic ${Buffer.from('key:secret').toString('base64')}`],
])('authenticates there, with the secret %s, as %s', async (secret, expected) => {
  await using sink = await HttpSink.start()
  sink.script(() => ({ body: '{}' }))
  await using outbound = createOutbound({
    policy: { mode: 'allow-private', allow: [] },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    log: createLogger('silent'),
  })
  const client = createRegistryClient(outbound, { baseUrl: sink.url, key: 'key', secret })
  await client.call('GET', '/brand', undefined, AbortSignal.timeout(10_000))
  expect(sink.requests[0]?.headers.authorization).toBe(expected)
})
