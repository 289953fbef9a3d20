import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RefusedError } from '../../../../src/platform/api/dialect.js'
import type { Database } from '../../../../src/platform/database/database.js'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { createIdempotentRequests } from '../../../../src/platform/idempotency/idempotent-requests.js'
import { idempotencyBaseline } from '../../../../src/platform/idempotency/tables.js'
import { openVault, type Vault } from '../../../../src/platform/secrets.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

const HOUR_MS = 3_600_000
const REQUEST = { caller: 'AC1', key: 'k', digest: 'POST /brand' }

/** A database with a table of brands, and a request that registers one. */
async function setUp() {
  const folder = tempFolder()
  const clock = { at: 1_000_000_000_000, now: () => clock.at }
  const place = await testDatabase(folder.path, 'empty')
  const open = (): Promise<Database> => openDatabase(place, [idempotencyBaseline])
  let db = await open()
  // A table that every database of this test has: what is kept under the caller `brands`.
  const brands = async () =>
    (
      await db.read
        .selectFrom('idempotent_requests')
        .select('key')
        .where('caller', '=', 'brands')
        .execute()
    ).length
  let count = 0
  const addBrand = () =>
    db.write((tx) =>
      tx
        .insertInto('idempotent_requests')
        .values({
          caller: 'brands',
          key: String((count += 1)),
          request: '',
          status: 0,
          outcome: '',
          createdAt: clock.at,
        })
        .execute(),
    )
  const register = async () => {
    await addBrand()
    return Response.json({ brands: await brands() })
  }
  return {
    clock,
    brands,
    register,
    db: () => db,
    requests: (vault?: Vault) => createIdempotentRequests(db, clock, vault),
    vault: () => openVault(join(folder.path, 'vault.key')),
    /** A new process opens what the former one has committed. */
    restart: async () => {
      await db[Symbol.asyncDispose]()
      db = await open()
    },
    [Symbol.asyncDispose]: async () => {
      await db[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe('a request with a key', () => {
  it('happens once, and is answered alike', async () => {
    await using t = await setUp()
    const first = await t.requests().once(REQUEST, true, t.register)
    const again = await t.requests().once(REQUEST, true, t.register)
    expect(await again.json()).toEqual(await first.json())
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await t.brands()).toBe(1)
  })

  it('that an earlier version has kept unsealed is answered alike', async () => {
    await using t = await setUp()
    const first = await t.requests().once(REQUEST, true, t.register)
    const again = await t.requests(t.vault()).once(REQUEST, true, t.register)
    expect(await again.json()).toEqual(await first.json())
    const sealed = await t.requests(t.vault()).once({ ...REQUEST, key: 'l' }, true, t.register)
    const opened = await t.requests(t.vault()).once({ ...REQUEST, key: 'l' }, true, t.register)
    expect(await opened.json()).toEqual(await sealed.json())
  })

  it('reads what it has just written', async () => {
    await using t = await setUp()
    const answer = await t.requests().once(REQUEST, true, t.register)
    expect(await answer.json()).toEqual({ brands: 1 })
  })

  it.each([
    'before',
    'after',
  ])('registers nothing when the process dies %s its answer is kept, and one brand when repeated', async (when) => {
    await using t = await setUp()
    const killed = new Error('killed')
    // Nothing of an open transaction survives a process.
    const dying = t.db().inOneCommit(async () => {
      if (when === 'before') await t.register()
      else
        await t
          .requests()
          .once(REQUEST, true, t.register)
          .catch(() => undefined)
      throw killed
    })
    await expect(dying).rejects.toBe(killed)
    await t.restart()
    expect(await t.brands()).toBe(0)
    await t.requests().once(REQUEST, true, t.register)
    expect(await t.brands()).toBe(1)
  })

  it('is answered as before when the process dies after the commit', async () => {
    await using t = await setUp()
    await t.requests().once(REQUEST, true, t.register)
    await t.restart()
    const again = await t.requests().once(REQUEST, true, t.register)
    expect(await again.json()).toEqual({ brands: 1 })
    expect(await t.brands()).toBe(1)
  })

  it('leaves nothing behind when it fails, and may be sent again', async () => {
    await using t = await setUp()
    const away = new Error('a server is away')
    const failing = t.requests().once(REQUEST, true, async () => {
      await t.register()
      throw away
    })
    await expect(failing).rejects.toBe(away)
    expect(await t.brands()).toBe(0)
    await t.requests().once(REQUEST, true, t.register)
    expect(await t.brands()).toBe(1)
  })

  it('has its effects after the commit, and none when it fails', async () => {
    await using t = await setUp()
    const seen: number[] = []
    const look = () => void t.brands().then((count) => seen.push(count))
    const run = async () => {
      t.db().whenDurable(look)
      const answer = await t.register()
      expect(seen).toEqual([])
      return answer
    }
    await t.requests().once(REQUEST, true, run)
    await expect.poll(() => seen).toEqual([1])
    const failing = t.requests().once({ ...REQUEST, key: 'other' }, true, async () => {
      await run().catch(() => undefined)
      throw new Error('failed')
    })
    await expect(failing).rejects.toThrow('failed')
    expect(seen).toEqual([1])
  })

  it('is refused while the first one runs, when it is another request, and with a long key', async () => {
    await using t = await setUp()
    const requests = t.requests()
    const first = requests.once(REQUEST, true, t.register)
    const refusal = async (running: Promise<Response>) =>
      running.then(
        () => 'answered',
        (error: unknown) => (error instanceof RefusedError ? error.refusal.type : error),
      )
    expect(await refusal(requests.once(REQUEST, true, t.register))).toBe('idempotency-key-in-use')
    await first
    const other = { ...REQUEST, digest: 'POST /brand?mock=true' }
    expect(await refusal(requests.once(other, true, t.register))).toBe('idempotency-key-reused')
    const long = { ...REQUEST, key: 'x'.repeat(256) }
    expect(await refusal(requests.once(long, true, t.register))).toBe('bad-idempotency-key')
  })

  it('is new again after 24 hours, and its caller’s own', async () => {
    await using t = await setUp()
    await t.requests().once(REQUEST, true, t.register)
    t.clock.at += 23 * HOUR_MS
    await t.requests().once(REQUEST, true, t.register)
    expect(await t.brands()).toBe(1)
    await t.requests().once({ ...REQUEST, caller: 'AC2' }, true, t.register)
    expect(await t.brands()).toBe(2)
    t.clock.at += 2 * HOUR_MS
    await t.requests().once(REQUEST, true, t.register)
    expect(await t.brands()).toBe(2)
  })

  it('that waits for other servers keeps its answer afterwards', async () => {
    await using t = await setUp()
    const first = await t.requests().once(REQUEST, false, t.register)
    const again = await t.requests().once(REQUEST, false, t.register)
    expect(await again.json()).toEqual(await first.json())
    expect(await t.brands()).toBe(1)
  })
})

it('writes of others go on beside a request that was kept in one commit', async () => {
  await using t = await setUp()
  const others = Promise.all(Array.from({ length: 20 }, () => t.register()))
  const keyed = t.requests().once(REQUEST, true, async () => {
    await Promise.all([t.register(), t.register(), t.register()])
    return Response.json({})
  })
  await Promise.all([others, keyed])
  expect(await t.brands()).toBe(23)
})
