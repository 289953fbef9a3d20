import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAdminApi } from '../../../src/admin/admin-api.js'
import type { PortOperationsDeps } from '../../../src/admin/port-operations.js'
import type { DescribedApp } from '../../../src/platform/api/described-app.js'
import { registryFixture } from '../../support/registry/registry-fixture.js'
import { setUpCalls } from '../../support/voice/calls-fixture.js'

const TOKEN = 'secret'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

interface DescribedOperation {
  readonly operationId: string
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

let bench: Awaited<ReturnType<typeof setUpCalls>>
let registry: Awaited<ReturnType<typeof registryFixture>>
let app: DescribedApp
let document: Document

beforeAll(async () => {
  bench = await setUpCalls()
  registry = await registryFixture()
  app = createAdminApi({
    ...bench,
    version: '0.0.0',
    token: TOKEN,
    metrics: () => Promise.resolve(''),
    servers: { list: () => [], set: () => Promise.resolve(undefined) },
    porting: {} as PortOperationsDeps, // no request gets as far as a port
    parts: [(gate) => registry.registry.operatorApi('/registry', gate)],
  })
  document = (await (await app.request('/openapi.json')).json()) as Document // by its own standard
})
afterAll(async () => {
  await registry[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})

const send = (method: string, path: string, body?: object) =>
  app.request(path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/** The places in a schema where a field that it does not name is taken. */
function openPlaces(schema: Schema, place: string): readonly string[] {
  const { $ref, properties, items, anyOf = [], oneOf = [] } = schema
  if ($ref !== undefined) {
    const named = document.components.schemas[$ref.replace('#/components/schemas/', '')]
    return named === undefined ? [`${place}: ${$ref} is missing`] : openPlaces(named, place)
  }
  const isOpen = properties !== undefined && schema.additionalProperties !== false
  return [
    ...(isOpen ? [place] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, each]) =>
      openPlaces(each, `${place}.${name}`),
    ),
    ...(items === undefined ? [] : openPlaces(items, `${place}[]`)),
    ...[...anyOf, ...oneOf].flatMap((each) => openPlaces(each, place)),
  ]
}

describe('a field that an operation of the private listener does not know', () => {
  it.each([
    ['PUT', '/carriers/south', { host: 'sip.carrier.test', prioritiy: 1 }, 'prioritiy'],
    [
      'PUT',
      '/carriers/south',
      { host: 'sip.carrier.test', auth: { username: 'u', password: 'p', domain: 'd' } },
      'auth.domain',
    ],
    [
      'PUT',
      '/numbers/+15551112222',
      { accountSid: 'AC', voiceURL: 'https://app.test/' },
      'voiceURL',
    ],
    ['PUT', '/servers/one', { isDrained: true, until: 'noon' }, 'until'],
  ])('is refused by %s %s with its name: %j', async (method, path, body, field) => {
    const answer = await send(method, path, body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: `${field}: it is not known` })
  })

  it('is none of those that a number shows, which can be sent back as it is', async () => {
    const routing = { accountSid: bench.account.sid, voiceUrl: 'https://app.test/' }
    const shown = (await (await send('PUT', '/numbers/+15551112222', routing)).json()) as object
    expect(shown).toMatchObject({
      number: '+15551112222',
      sid: expect.stringMatching(/^PN/) as string,
    })
    const again = await send('PUT', '/numbers/+15551112222', shown)
    expect(again.status).toBe(200)
    expect(await again.json()).toEqual(shown)
  })

  it('is refused by a decision of the registry in the words of the registry', async () => {
    const body = { identityStatus: 'VERIFIED', explanaton: 'seen' }
    const answer = await send('PUT', '/registry/brands/B000000/identity', body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject([{ code: 501, fields: ['explanaton'] }])
  })

  it('is refused in every body, by the description of the listener', () => {
    const bodies = operations().flatMap(({ operation }) => {
      const schema = operation.requestBody?.content['application/json']?.schema
      return schema === undefined ? [] : [openPlaces(schema, operation.operationId)]
    })
    expect(bodies.length).toBeGreaterThan(25)
    expect(bodies.flat()).toEqual([])
  })

  it('is refused in every query that has parameters', async () => {
    const filtered = operations().filter(
      ({ operation }) => operation.parameters?.some((each) => each.in === 'query') === true,
    )
    expect(filtered.length).toBeGreaterThan(9)
    const taken: string[] = []
    for (const { path, method } of filtered) {
      const url = path.replace('{direction}', 'inbound').replaceAll(/\{\w+\}/g, 'x')
      const answer = await send(method.toUpperCase(), `${url}?acountSid=AC1`)
      const text = await answer.text()
      if (answer.status !== 400 || !text.includes('acountSid')) taken.push(`${method} ${path}`)
    }
    expect(taken).toEqual([])
  })
})
