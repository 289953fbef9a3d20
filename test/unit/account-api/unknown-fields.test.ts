import { z } from '@hono/zod-openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restOperations } from '../../../src/account-api/account-api.js'
import { rest } from '../../../src/account-api/dialect/rest-operation.js'
import { InvariantError } from '../../../src/platform/errors.js'
import { accountApiFixture } from '../../support/account/account-api-fixture.js'

let t: Awaited<ReturnType<typeof accountApiFixture>>
beforeAll(async () => {
  t = await accountApiFixture()
  await t.hold('2025550111')
})
afterAll(() => t[Symbol.asyncDispose]())

const FEATURE = { number: '2025550111', routing: { gatewayId: 1, gateway: 2 } }

describe('a field that an operation of the REST style does not know', () => {
  it.each([
    ['PUT', '/numbers/2025550111/route', { route: 1, usr: 'alice' }, 'usr'],
    ['PATCH', '/numbers/2025550111', { rout: 1, account: 'x' }, 'rout, account'],
    ['POST', '/orders', { numbers: [{ number: '2025550112', rout: 1 }] }, 'numbers.0.rout'],
    ['POST', '/gateways', { gateway: 'pbx.example.com', limt: 3 }, 'limt'],
    ['POST', '/acl', { acl: [{ cidr: '8.8.8.0/24', note: 'desk' }] }, 'acl.0.note'],
    ['PUT', '/auth', { authtype: 1 }, 'authtype'],
    [
      'POST',
      '/messages',
      { fromNumber: '2025550111', toNumber: '2025550112', text: 'a', mediaUrl: 'x' },
      'mediaUrl',
    ],
    ['POST', '/account/port', { features: [FEATURE] }, 'features.0.routing.gateway'],
  ])('is refused by %s %s with its name: %j', async (method, path, body, fields) => {
    const answer = await t.rest(method, path, body)
    expect(answer.status).toBe(400)
    const { error } = answer.body as { readonly error: { readonly message: string } }
    expect(error.message.split('; ')).toContain(`Unknown field: ${fields}`)
  })

  it('is refused in every body', () => {
    const taking = restOperations(t.deps).flatMap(({ id, body, formats }) => {
      // The forms of pages are filled in by a browser.
      if (body === undefined || typeof body === 'string' || formats?.includes('form')) return []
      const issues = body.safeParse({ noSuchField: 1 }).error?.issues ?? []
      const isRefused = issues.some((each) => each.code === 'unrecognized_keys')
      return isRefused ? [] : [id]
    })
    expect(taking).toEqual([])
  })

  it('cannot be taken by an operation that is declared without saying so', () => {
    const inner = z.array(z.object({ name: z.string() })).optional()
    const declare = () =>
      rest({
        id: 'loose',
        summary: 'Take anything',
        method: 'post',
        path: '/loose',
        body: z.strictObject({ inner }),
        data: z.object({}),
        run: () => ({}),
      })
    expect(declare).toThrow(InvariantError)
  })
})

describe('a field that the legacy style does not know', () => {
  it('is ignored, since client libraries send more than is read', async () => {
    const acl = [{ cidr: '8.8.8.0/24', note: 'desk' }]
    expect((await t.legacy('/acl/add/', { acl, format: 'json' })).status).toBe(200)
  })
})
