import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { jsonAtRest } from '../../../../src/platform/database/at-rest.js'
import { claimOf } from '../../../../src/platform/database/claims.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { createIdempotentRequests } from '../../../../src/platform/idempotency/idempotent-requests.js'
import { createLogger } from '../../../../src/platform/log.js'
import { Outbox } from '../../../../src/platform/outbox/outbox.js'
import {
  type JobHandlers,
  type JobsCore,
  releaseJobs,
  runDueJobs,
  schedule,
} from '../../../../src/registry/jobs/jobs.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { twoNodes } from '../../../support/process/database-of-two-nodes.js'
import { ENGINE } from '../../../support/process/test-database.js'

const TIMES = Array.from({ length: 20 }, (_, index) => index)

const kept = (key: string, status = 0) => ({
  caller: 'AC1',
  key,
  request: '',
  status,
  outcome: '',
  createdAt: 1_000,
})

const statusOf = async ({ read }: Database, key: string): Promise<number | undefined> =>
  (
    await read
      .selectFrom('idempotent_requests')
      .select('status')
      .where('key', '=', key)
      .executeTakeFirst()
  )?.status

describe('two nodes that share a database', () => {
  it('start at once on an empty one, and make its tables once', async () => {
    await using t = await twoNodes()
    const names = await t.b.read.selectFrom('schema_migrations').select('name').execute()
    expect(names.map(({ name }) => name).sort()).toEqual(MIGRATIONS.map(({ name }) => name).sort())
  })

  it('count what both have read and written back', async () => {
    await using t = await twoNodes()
    await t.a.write((tx) => tx.insertInto('idempotent_requests').values(kept('n')).execute())
    const addOne = (db: Database) =>
      db.write(async (tx) => {
        const { status } = await tx
          .selectFrom('idempotent_requests')
          .select('status')
          .where('key', '=', 'n')
          .executeTakeFirstOrThrow()
        await tx
          .updateTable('idempotent_requests')
          .set({ status: status + 1 })
          .where('key', '=', 'n')
          .execute()
      })
    for (const _each of TIMES) await Promise.all([addOne(t.a), addOne(t.b)])
    expect(await statusOf(t.a, 'n')).toBe(2 * TIMES.length)
  })

  it('tell the operator which engine they use, and how often they ran work again', async () => {
    await using t = await twoNodes()
    expect(t.a.engine).toBe(ENGINE)
    const again = () =>
      [t.a, t.b].reduce((sum, db) => sum + (db.figures()['retries_serialization'] ?? 0), 0)
    expect(again()).toBe(0)
    if (ENGINE === 'sqlite') return
    await t.a.write((tx) => tx.insertInto('idempotent_requests').values(kept('n')).execute())
    let runs = 0
    const addOne = (db: Database) =>
      db.write(async (tx) => {
        runs += 1
        const { status } = await tx
          .selectFrom('idempotent_requests')
          .select('status')
          .where('key', '=', 'n')
          .executeTakeFirstOrThrow()
        await tx
          .updateTable('idempotent_requests')
          .set({ status: status + 1 })
          .where('key', '=', 'n')
          .execute()
      })
    for (const _each of TIMES) await Promise.all([addOne(t.a), addOne(t.b)])
    expect(again()).toBe(runs - 2 * TIMES.length)
    expect(t.a.figures()).toMatchObject({ waiting: 0, connections_lost: 0, connections_busy: 0 })
  })

  it('let one of them have a name that both found free', async () => {
    await using t = await twoNodes()
    const take = (db: Database, key: string, status: number) =>
      db.write(async (tx) => {
        const known = await tx
          .selectFrom('idempotent_requests')
          .select('status')
          .where('key', '=', key)
          .executeTakeFirst()
        if (known !== undefined) return 'taken'
        await tx.insertInto('idempotent_requests').values(kept(key, status)).execute()
        return 'mine'
      })
    for (const index of TIMES) {
      const answers = await Promise.all([take(t.a, `k${index}`, 1), take(t.b, `k${index}`, 2)])
      expect(answers.sort()).toEqual(['mine', 'taken'])
    }
  })

  it('do once what both are asked under one key', async () => {
    await using t = await twoNodes()
    const clock = { now: () => 1_000_000 }
    const run = (db: Database, key: string) =>
      createIdempotentRequests(db, clock).once(
        { caller: 'AC9', key, digest: 'd' },
        true,
        async () => {
          await db.write((tx) =>
            tx
              .insertInto('idempotent_requests')
              .values(kept(`${key} by ${db.node}`))
              .execute(),
          )
          return Response.json({ by: db.node })
        },
      )
    for (const index of TIMES) {
      const [first, second] = await Promise.all([run(t.a, `r${index}`), run(t.b, `r${index}`)])
      expect(await first.json()).toEqual(await second.json())
    }
    const made = await t.a.read
      .selectFrom('idempotent_requests')
      .select('key')
      .where('key', 'like', '% by %')
      .execute()
    expect(made).toHaveLength(TIMES.length)
  })

  it('number the rows of a table in one order, and keep its count', async () => {
    await using t = await twoNodes()
    const account = {
      sid: 'AC1',
      friendlyName: '',
      status: 'active' as const,
      secretHash: 'x',
      secretSealed: 'x',
      phoneRegions: '[]',
      username: '2000000000',
      isAdministrator: 0 as const,
      timezone: 'UTC',
      notify: 0 as const,
      notifyThreshold: 0,
      services: '{}',
      authType: 0,
      createdAt: 1,
      updatedAt: 1,
    }
    await t.a.write((tx) => tx.insertInto('accounts').values(account).execute())
    const call = (sid: string, node: string) => ({
      sid,
      node,
      accountSid: 'AC1',
      direction: 'inbound' as const,
      toAddress: '',
      fromAddress: '',
      status: 'queued',
      queueMs: 0,
      plan: jsonAtRest({}),
      callbackCount: 0,
      createdAt: 1,
      updatedAt: 1,
    })
    await Promise.all(
      TIMES.flatMap((index) =>
        [t.a, t.b].map((db) =>
          db.write((tx) =>
            tx
              .insertInto('calls')
              .values(call(`${db.node}${index}`, db.node))
              .execute(),
          ),
        ),
      ),
    )
    await t.a.write((tx) => tx.deleteFrom('calls').where('sid', '=', 'b0').execute())
    const { calls } = await t.b.read
      .selectFrom('call_counts')
      .select('calls')
      .where('accountSid', '=', 'AC1')
      .executeTakeFirstOrThrow()
    expect(calls).toBe(2 * TIMES.length - 1)
  })
})

describe('registry jobs that two nodes find due', () => {
  const coreOf = (db: Database): JobsCore => ({
    db,
    clock: { now: () => 1_000 },
    log: createLogger('silent'),
  })
  const setUp = async () => {
    const t = await twoNodes()
    await t.a.write(async (tx) => {
      for (const index of TIMES) await schedule(tx, 'job', `job ${index}`, 0)
    })
    const { signal } = new AbortController()
    const run = (handlers: JobHandlers) =>
      Promise.all([t.a, t.b].map((db) => runDueJobs(coreOf(db), handlers, signal)))
    return { ...t, run }
  }

  it('are committed once', async () => {
    await using t = await setUp()
    await t.run({
      job: {
        type: 'commit',
        run: async (tx, { subject }) => {
          await tx.insertInto('idempotent_requests').values(kept(subject)).execute()
        },
      },
    })
    const done = await t.a.read.selectFrom('idempotent_requests').select('key').execute()
    expect(done.map(({ key }) => key).sort()).toEqual(TIMES.map((index) => `job ${index}`).sort())
  })

  it('act outside once', async () => {
    await using t = await setUp()
    const acted: string[] = []
    await t.run({
      job: {
        type: 'perform',
        run: ({ subject }) => {
          acted.push(subject)
          return Promise.resolve(() => Promise.resolve())
        },
      },
    })
    expect(acted.sort()).toEqual(TIMES.map((index) => `job ${index}`).sort())
  })

  it('wait for a node that has them, and no longer once it is declared dead', async () => {
    await using t = await setUp()
    await t.a.write((tx) =>
      tx.updateTable('registry_jobs').set(claimOf('a', systemClock.now())).execute(),
    )
    const acted: string[] = []
    const handlers: JobHandlers = {
      job: {
        type: 'perform',
        run: ({ subject }) => {
          acted.push(subject)
          return Promise.resolve(() => Promise.resolve())
        },
      },
    }
    const runOfB = () => runDueJobs(coreOf(t.b), handlers, new AbortController().signal)
    await runOfB()
    expect(acted).toEqual([])
    await t.b.write((tx) => releaseJobs(tx, 'a'))
    await runOfB()
    expect(acted).toHaveLength(TIMES.length)
  })
})

it('text with a NUL is stored, and texts are in the order of their bytes', async () => {
  await using t = await twoNodes()
  const keys = ['b', 'a\0', 'B', 'ä', 'a', '_', 'Z']
  await t.a.write((tx) =>
    tx
      .insertInto('idempotent_requests')
      .values(keys.map((key) => kept(key)))
      .execute(),
  )
  const found = await t.b.read
    .selectFrom('idempotent_requests')
    .select('key')
    .orderBy('key')
    .execute()
  expect(found.map(({ key }) => key)).toEqual(['B', 'Z', '_', 'a', 'a\uFFFD', 'b', 'ä'])
  expect(await statusOf(t.b, 'a\0')).toBe(0)
})

const ISOLATIONS = ['serializable', 'read-committed'] as const

it.each(
  ISOLATIONS,
)('a stream that two nodes write (%s) goes out once, in one order, and never stops', async (isolation) => {
  await using t = await twoNodes()
  const seen: string[] = []
  const clock = { now: () => 1_000, monotonic: () => performance.now() }
  const of = (db: Database) => {
    const outbox = new Outbox({
      db,
      clock,
      random: () => 0,
      log: createLogger('silent'),
      node: db.node,
      limits: { discoverMs: 20 },
    })
    const letters = outbox.open<string>({
      name: 'letter',
      toRow: (letter) => ({ stream: 'S', accountSid: 'AC1', kind: letter, payload: letter }),
      deliver: ({ kind }) => {
        seen.push(kind)
        return Promise.resolve({ type: 'delivered', status: 200, error: undefined })
      },
      nextAttemptAt: () => undefined,
    })
    outbox.start()
    return { outbox, letters }
  }
  const [a, b] = [of(t.a), of(t.b)]
  await using _closed = { [Symbol.asyncDispose]: () => a.outbox[Symbol.asyncDispose]() }
  await using _also = { [Symbol.asyncDispose]: () => b.outbox[Symbol.asyncDispose]() }
  await Promise.all(
    TIMES.flatMap((index) =>
      [a, b].map(({ letters }, node) =>
        letters.commit((_tx, enqueue) => enqueue([`${'ab'[node]}${index}`]), isolation),
      ),
    ),
  )
  const undelivered = async () =>
    (
      await t.a.read
        .selectFrom('outbox')
        .select('state')
        .where('state', '<>', 'delivered')
        .execute()
    ).length
  await expect
    .poll(
      async () => {
        await Promise.all([a.outbox.settled(), b.outbox.settled()])
        return undelivered()
      },
      { timeout: 15_000 },
    )
    .toBe(0)
  expect([...seen].sort()).toEqual(TIMES.flatMap((index) => [`a${index}`, `b${index}`]).sort())
})
