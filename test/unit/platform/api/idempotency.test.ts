import { expect, it } from 'vitest'
import { DescribedApp } from '../../../../src/platform/api/described-app.js'
import { RefusedError } from '../../../../src/platform/api/dialect.js'
import { mountApi } from '../../../../src/platform/api/mount-api.js'
import { operationsOf } from '../../../../src/platform/api/operation.js'
import { plainAnswer, plainDialect } from '../../../../src/platform/api/plain-dialect.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { createIdempotentRequests } from '../../../../src/platform/idempotency/idempotent-requests.js'
import { idempotencyBaseline } from '../../../../src/platform/idempotency/tables.js'
import { createLogger } from '../../../../src/platform/log.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

/** An API with one operation, which does what the test says. */
async function setUp(run: () => unknown) {
  const folder = tempFolder()
  const db = await openDatabase(await testDatabase(folder.path, 'empty'), [idempotencyBaseline])
  const app = new DescribedApp()
  mountApi(app, {
    base: '',
    tag: 'Test',
    dialect: { ...plainDialect, explain: (error) => plainAnswer(400, String(error)) },
    gate: {
      scheme: undefined,
      identify: () => Promise.resolve(undefined),
      nameOf: () => 'somebody',
    },
    operations: [
      operationsOf<unknown>()({
        id: 'do',
        summary: 'Do',
        method: 'post',
        path: '/do',
        response: 'text',
        run,
      }),
    ],
    params: {},
    errors: [],
    hidesPaths: false,
    log: createLogger('silent'),
    idempotency: createIdempotentRequests(db, { now: () => 1_000_000 }),
  })
  return {
    post: async (query = '') => {
      const init = { method: 'POST', headers: { 'idempotency-key': 'k' } }
      const answer = await app.request(`/do${query}`, init)
      return `${answer.status} ${await answer.text()}`
    },
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

const temporary = [
  ['too many requests', new RefusedError({ type: 'too-many-requests', waitSeconds: 1 })],
  ['a server that is overloaded', new RefusedError({ type: 'overloaded' })],
  ['a fault of ours', new RefusedError({ type: 'fault' })],
] as const

it.each(temporary)('the refusal for %s is not kept under the key', async (_why, error) => {
  const failures: Error[] = [error]
  await using t = await setUp(() => {
    const failure = failures.pop()
    if (failure !== undefined) throw failure
    return 'done'
  })
  expect(await t.post()).toMatch(/^(429|5\d\d) /)
  expect(await t.post()).toBe('200 done')
})

it('a lasting refusal is kept, and another query is another request', async () => {
  let count = 0
  await using t = await setUp(() => {
    count += 1
    throw new Error(`refusal ${count}`)
  })
  expect(await t.post()).toBe('400 {"error":"Error: refusal 1"}')
  expect(await t.post()).toBe('400 {"error":"Error: refusal 1"}')
  expect(await t.post('?mock=true')).toMatch(/^409 /)
  expect(count).toBe(1)
})
