import SwaggerParser from '@apidevtools/swagger-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAdminApi } from '../../../../src/admin/admin-api.js'
import type { DescribedApp } from '../../../../src/platform/api/described-app.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import {
  type RegistryFixture,
  registryFixture,
} from '../../../support/registry/registry-fixture.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

const TOKEN = 'operator-token'
const log = createLogger('silent')

type Description = Parameters<(typeof SwaggerParser)['validate']>[0]

interface Listener {
  readonly app: DescribedApp
  /** Credentials that it takes. */
  readonly authorization: string
}

let bench: Awaited<ReturnType<typeof setUpCalls>>
let registry: RegistryFixture
const listeners = new Map<string, Listener>()

beforeAll(async () => {
  bench = await setUpCalls()
  registry = await registryFixture()
  const { sid, secret } = bench.account
  listeners.set('public', {
    app: createPublicApp({
      version: '0.0.0',
      log,
      readiness: () => ({ isReady: true, detail: {} }),
      mount: [
        createVoiceApi({ ...bench, log }),
        (app) => {
          registry.registry.mount(app)
        },
      ],
    }),
    authorization: `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`,
  })
  listeners.set('private', {
    app: createAdminApi({
      ...bench,
      log,
      version: '0.0.0',
      token: TOKEN,
      metrics: () => Promise.resolve(''),
      parts: [(gate) => registry.registry.operatorApi('/registry', gate)],
    }),
    authorization: `Bearer ${TOKEN}`,
  })
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})

function listener(name: string): Listener {
  const found = listeners.get(name)
  if (found === undefined) throw new Error(`there is no ${name} listener`)
  return found
}

async function descriptionOf({ app }: Listener) {
  const answer = await app.request('/openapi.json')
  expect(answer.status).toBe(200)
  return (await answer.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: object }>>>>
  } // what the test walks
}

describe.each(['public', 'private'])('the description of the %s listener', (name) => {
  it('is valid OpenAPI', async () => {
    const description = await descriptionOf(listener(name))
    await expect(
      SwaggerParser.validate(structuredClone(description) as unknown as Description),
    ).resolves.toBeDefined()
  })

  it('holds every route of the router, and no other', async () => {
    const { app } = listener(name)
    const { paths } = await descriptionOf(listener(name))
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    const routed = app.routes.flatMap(({ method, path }) =>
      // What is left over is refused below the base of each API.
      method === 'ALL' && path.endsWith('/*')
        ? []
        : [`${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`],
    )
    expect(described.toSorted()).toEqual(routed.toSorted())
  })

  it('has a summary and an id of its own for each operation', async () => {
    const { paths } = await descriptionOf(listener(name))
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods)) as {
      readonly operationId?: string
      readonly summary?: string
    }[] // what the test reads
    expect(operations.filter(({ summary }) => summary === undefined)).toEqual([])
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('has patterns in which a client finds the texts that are taken', async () => {
    const patterns: string[] = []
    JSON.stringify(await descriptionOf(listener(name)), (key, value: unknown) => {
      if (key === 'pattern' && typeof value === 'string') patterns.push(value)
      return value
    })
    // The generator writes the flags of a RegExp behind a slash, where they are part of the text.
    expect(patterns.filter((pattern) => /(?<!\\)\/[a-z]+$/.test(pattern))).toEqual([])
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'u'), pattern).not.toThrow()
    if (name === 'private')
      expect(patterns.some((pattern) => new RegExp(pattern, 'u').test('Acme & Söhne'))).toBe(true)
  })

  it('names the methods of each path, as a 405 does', async () => {
    const { app, authorization } = listener(name)
    const { paths } = await descriptionOf(listener(name))
    for (const [template, methods] of Object.entries(paths)) {
      const path = template.replace('{AccountSid}', bench.account.sid).replaceAll(/\{\w+\}/g, 'x')
      const answer = await app.request(path, { method: 'PURGE', headers: { authorization } })
      expect([answer.status, path]).toEqual([405, path])
      const allowed = (answer.headers.get('allow') ?? '').split(', ')
      const described = Object.keys(methods).map((method) => method.toUpperCase())
      expect(allowed, path).toEqual(expect.arrayContaining(described))
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })
})

it('an unknown path of either listener is a 404 for those who may ask', async () => {
  for (const path of ['/nothing', `/2010-04-01/Accounts/${bench.account.sid}/Nothing`]) {
    const { app, authorization } = listener('public')
    expect((await app.request(path, { headers: { authorization } })).status).toBe(404)
  }
  const { app, authorization } = listener('private')
  expect((await app.request('/nothing', { headers: { authorization } })).status).toBe(404)
  expect((await app.request('/nothing')).status).toBe(401)
})

it.each(['/docs', '/docs/errors'])('%s runs nothing but its own script', async (path) => {
  const { headers } = await listener('public').app.request(path)
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'/,
  )
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})
