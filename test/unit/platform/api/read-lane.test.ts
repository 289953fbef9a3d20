import { request } from 'node:http'
import { z } from '@hono/zod-openapi'
import { describe, expect, it } from 'vitest'
import type { Api } from '../../../../src/platform/api/api.js'
import { openGate } from '../../../../src/platform/api/api.js'
import { DescribedApp } from '../../../../src/platform/api/described-app.js'
import { mountApi } from '../../../../src/platform/api/mount-api.js'
import { operationsOf } from '../../../../src/platform/api/operation.js'
import { plainDialect } from '../../../../src/platform/api/plain-dialect.js'
import { startListener } from '../../../../src/platform/http/listener.js'
import { createLogger } from '../../../../src/platform/log.js'

const operation = operationsOf<unknown>()
const answer = z.record(z.string(), z.unknown())

const BOX = operation({
  id: 'getBox',
  summary: 'Get a box',
  method: 'get',
  isOpen: true,
  path: '/boxes/{name}',
  query: z.object({ q: z.string().optional() }),
  response: answer,
  run: ({ params, query, http }) => ({
    box: params.name,
    query,
    path: http.path,
    url: http.origin,
  }),
})
const SPECIAL = operation({
  id: 'getSpecial',
  summary: 'Get the special box',
  method: 'get',
  isOpen: true,
  path: '/boxes/special',
  response: answer,
  run: () => ({ special: true }),
})
const PAGE = operation({
  id: 'readPage',
  summary: 'Read a page',
  method: 'get',
  isOpen: true,
  path: '/page',
  response: { mediaTypes: ['text/html'], description: 'A page.' },
  run: () => new Response('<p>', { headers: { 'content-type': 'text/html' } }),
})
const REDIRECT = operation({
  id: 'follow',
  summary: 'Be sent elsewhere',
  method: 'get',
  isOpen: true,
  path: '/moved',
  response: answer,
  run: () => new Response(null, { status: 302, headers: { location: '/page' } }),
})
const FAILS = operation({
  id: 'fail',
  summary: 'Fail',
  method: 'get',
  isOpen: true,
  path: '/fails',
  response: answer,
  run: () => Promise.reject(new Error('what only we may know')),
})

function apiOf(base: string, operations: Api<unknown>['operations']): Api<unknown> {
  const log = createLogger('silent')
  const common = { tag: 'Test', dialect: plainDialect, gate: openGate, params: {}, errors: [], log }
  return { ...common, base, operations, hidesPaths: false }
}

/** What a read has beside its path. */
interface Sent {
  readonly coding?: string
  readonly body?: string
}

/** One app at two listeners: one asks the lane first, and counts what the lane took. */
async function setUp() {
  const app = new DescribedApp({ getPath: (of) => new URL(of.url).pathname.replace(/\.json$/, '') })
  mountApi(app, apiOf('/first', [BOX, SPECIAL, PAGE, REDIRECT, FAILS]))
  mountApi(app, apiOf('', [SPECIAL, BOX]))
  mountApi(app, apiOf('/late', [BOX]))
  let taken = 0
  const at = { host: '127.0.0.1', port: 0 }
  const routed = await startListener(app, at)
  const laned = await startListener(app, {
    ...at,
    lane: (...asked) => {
      const isTaken = app.lane.take(...asked)
      if (isTaken) taken += 1
      return isTaken
    },
  })
  const ask = async (path: string, host = 'lane.test', sent: Sent = {}) => ({
    byRouter: await get(routed.port, path, host, sent),
    byLane: await get(laned.port, path, host, sent),
  })
  return {
    ask,
    taken: () => taken,
    [Symbol.asyncDispose]: async () => {
      await routed[Symbol.asyncDispose]()
      await laned[Symbol.asyncDispose]()
    },
  }
}

/** What a server answers, without the headers that every answer has. */
function get(
  port: number,
  path: string,
  host: string,
  { coding, body }: Sent,
): Promise<Record<string, unknown>> {
  const headers = {
    host,
    ...(coding !== undefined && { 'content-encoding': coding }),
    ...(body !== undefined && { 'content-length': body.length }),
  }
  return new Promise((resolve, reject) => {
    const asked = request({ port, path, host: '127.0.0.1', headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        const { 'content-type': type, location, 'x-content-type-options': sniff } = response.headers
        resolve({ status: response.statusCode, type, location, sniff, text })
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

describe('the lane of reads answers as the router does', () => {
  it.each([
    ['a resource', '/first/boxes/a', true],
    ['a resource with a suffix', '/first/boxes/a.json', true],
    ['a resource with a query', '/first/boxes/a?q=b%20c', true],
    ['a path that two operations have: the first one', '/first/boxes/special', true],
    ['the same in an API with another order', '/boxes/special', true],
    ['an answer that the operation made itself', '/first/moved', true],
    ['a fault', '/first/fails', true],
    ['a path that is closed by an earlier API', '/late/boxes/a', false],
    ['a page', '/first/page', false],
    ['an unknown path', '/first/unknown', false],
    ['an empty parameter', '/first/boxes/', false],
    ['an encoded parameter', '/first/boxes/a%20b', false],
    ['a path with dots', '/first/x/../boxes/a', false],
    ['a path with an empty segment', '/first//boxes/a', false],
    ['a fragment', '/first/boxes/a#b', false],
  ])('%s', async (_title, path, isLane) => {
    await using t = await setUp()
    const { byRouter, byLane } = await t.ask(path)
    expect(byLane).toEqual(byRouter)
    expect(t.taken()).toBe(isLane ? 1 : 0)
  })

  it.each([
    'lane.test:80',
    'LANE.test',
    'lane.test:65536',
    'a b',
  ])('a host of many spellings: %s', async (host) => {
    await using t = await setUp()
    const { byRouter, byLane } = await t.ask('/first/boxes/a', host)
    expect(byLane).toEqual(byRouter)
    expect(t.taken()).toBe(0)
  })

  it.each([
    ['a coding of no body', { coding: 'gzip' }, 200, 1],
    ['a coding of an empty body', { coding: 'gzip', body: '' }, 200, 0],
    ['a body in a coding', { coding: 'gzip', body: 'x' }, 415, 0],
    ['a body in none', { coding: 'identity', body: 'x' }, 200, 0],
  ])('%s', async (_title, sent, status, taken) => {
    await using t = await setUp()
    const { byRouter, byLane } = await t.ask('/first/boxes/a', 'lane.test', sent)
    expect(byLane).toEqual(byRouter)
    expect(byLane['status']).toBe(status)
    expect(t.taken()).toBe(taken)
  })

  it('says which host was asked for', async () => {
    await using t = await setUp()
    const { byLane } = await t.ask('/first/boxes/a', 'lane.test:8080')
    expect(byLane).toMatchObject({
      text: expect.stringContaining('http://lane.test:8080') as string,
    })
  })
})
