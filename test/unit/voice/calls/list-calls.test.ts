import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createAccounts } from '../../../../src/accounts/accounts.js'
import { systemClock as clock } from '../../../../src/platform/clock.js'
import type { Position } from '../../../../src/platform/database/newest-first.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { openVault } from '../../../../src/platform/secrets.js'
import { type CallFilter, listCalls } from '../../../../src/voice/calls/list-calls.js'
import { deleteCall, insertCall } from '../../../../src/voice/calls/storage/call-storage.js'
import { KeptCalls } from '../../../../src/voice/calls/storage/kept-calls.js'
import { type CallRecord, newCallRecord } from '../../../../src/voice/model/call-record.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'
import { PLAN } from '../../../support/voice/calls-fixture.js'

const START = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const SEED = 7

async function setUp(count: number) {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const db = stack.use(await openTestDatabase(folder.path))
  const vault = openVault(join(folder.path, 'key'))
  const accounts = createAccounts({ db, vault, clock })
  const { sid: accountSid } = await accounts.create({ friendlyName: 'one' })
  const { sid: otherSid } = await accounts.create({ friendlyName: 'other' })
  const calls = Array.from({ length: count }, (_, index) => callOf(accountSid, index))
  await db.write(async (tx) => {
    for (const call of calls) await insertCall(tx, call, db.node)
    await insertCall(tx, { ...callOf(otherSid, 0), sid: `CA${'f'.repeat(32)}` }, db.node)
  })
  const kept = new KeptCalls(clock)
  return { db, accountSid, calls, kept, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() }
}

function positionOf(calls: readonly CallRecord[], sid: string | undefined): Position {
  const call = calls.find((each) => each.sid === sid)
  if (call === undefined) throw new Error(`there is no call ${String(sid)}`)
  return { at: call.createdAt, sid: call.sid }
}

/** Several calls of one moment, so that only the sid tells them apart. */
function callOf(accountSid: string, index: number): CallRecord {
  const createdAt = START + Math.floor(index / 3) * MINUTE
  const made = newCallRecord(
    {
      sid: `CA${((index * 7_919) % 100_003).toString(16).padStart(32, '0')}`,
      accountSid,
      direction: 'outbound-api',
      to: `+1500555000${index % 4}`,
      from: `+1500555100${index % 3}`,
      plan: PLAN,
      ...(index % 10 === 0 ? { parentCallSid: `CA${'a'.repeat(32)}` } : {}),
    },
    createdAt,
  )
  const isEnded = index % 5 !== 0
  return {
    ...made,
    status: isEnded ? 'completed' : 'in-progress',
    startedAt: createdAt + (index % 7) * 1_000,
    endedAt: isEnded ? createdAt + (index % 11) * MINUTE : undefined,
  }
}

/** What a list is, said plainly. */
function expected(calls: readonly CallRecord[], filter: CallFilter): string[] {
  const within = (at: number | undefined, from = -Infinity, before = Infinity) =>
    (from === -Infinity && before === Infinity) || (at !== undefined && at >= from && at < before)
  return calls
    .filter(
      (call) =>
        call.to === (filter.to ?? call.to) &&
        call.from === (filter.from ?? call.from) &&
        call.status === (filter.status ?? call.status) &&
        call.parentCallSid === (filter.parentCallSid ?? call.parentCallSid) &&
        within(call.startedAt, filter.startedFrom, filter.startedBefore) &&
        within(call.endedAt, filter.endedFrom, filter.endedBefore),
    )
    .sort((a, b) => b.createdAt - a.createdAt || (a.sid < b.sid ? 1 : -1))
    .map(({ sid }) => sid)
}

function randomFilter(random: (below: number) => number): CallFilter {
  const time = () => START + random(60) * MINUTE
  const [startedFrom, endedFrom] = [time(), time()]
  return {
    ...(random(3) === 0 ? { to: `+1500555000${random(5)}` } : {}),
    ...(random(3) === 0 ? { from: `+1500555100${random(4)}` } : {}),
    ...(random(3) === 0 ? { status: random(2) === 0 ? 'completed' : 'in-progress' } : {}),
    ...(random(8) === 0 ? { parentCallSid: `CA${'a'.repeat(32)}` } : {}),
    ...(random(4) === 0 ? { startedFrom } : {}),
    ...(random(4) === 0 ? { startedBefore: startedFrom + random(90) * MINUTE } : {}),
    ...(random(4) === 0 ? { endedFrom } : {}),
    ...(random(4) === 0 ? { endedBefore: endedFrom + random(90) * MINUTE } : {}),
  }
}

function seeded() {
  let state = SEED
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
}

describe('the list of calls', () => {
  it('has large pages in order when the database knows the table well enough to join in another', async () => {
    await using t = await setUp(4_000)
    // With its statistics PostgreSQL joins large pages by a hash, which keeps no order.
    await t.db.write((tx) => sql`analyze calls`.execute(tx))
    const filter = { startedFrom: START }
    const seen: string[] = []
    let after: Position | undefined
    do {
      const cursor = after === undefined ? undefined : { side: 'after' as const, ...after }
      const page = await listCalls(
        t.db.read,
        t.accountSid,
        filter,
        {
          limit: 1_000,
          offset: 0,
          cursor,
        },
        t.kept,
      )
      seen.push(...page.items.map(({ sid }) => sid))
      after = page.nextAfter
    } while (after !== undefined)
    expect(seen).toEqual(expected(t.calls, filter))
  })

  it('has by pages, forwards, what it has as a whole, whatever it is filtered by', async () => {
    await using t = await setUp(180)
    const random = seeded()
    for (let round = 0; round < 120; round++) {
      const filter = randomFilter(random)
      const limit = 1 + random(40)
      const what = JSON.stringify({ round, filter, limit })
      const wanted = expected(t.calls, filter)
      // A page that has looked far enough is short, and the next one goes on where it stopped.
      const maxScanned = round % 2 === 0 ? 15 : undefined
      const seen: string[] = []
      let after: Position | undefined
      do {
        const page = await listCalls(
          t.db.read,
          t.accountSid,
          filter,
          {
            limit,
            offset: 0,
            ...(after === undefined ? {} : { cursor: { side: 'after', ...after } }),
          },
          t.kept,
          maxScanned,
        )
        seen.push(...page.items.map(({ sid }) => sid))
        if (maxScanned === undefined) expect(page.total, what).toBe(wanted.length)
        after = page.nextAfter
      } while (after !== undefined)
      expect(seen, what).toEqual(wanted)
    }
  })

  it('has by its end a call that a long outage has ended, before and after the others', async () => {
    await using t = await setUp(30)
    const hour = 60 * MINUTE
    const late = Array.from({ length: 5 }, (_, index) => ({
      ...callOf(t.accountSid, 1_000 + index),
      createdAt: START - (40 + index) * hour,
      startedAt: START - (40 + index) * hour,
      endedAt: START + MINUTE,
    }))
    // It ended late, and not in the range.
    const former = { ...callOf(t.accountSid, 2_000), createdAt: START - 90 * hour }
    await t.db.write(async (tx) => {
      for (const call of late) await insertCall(tx, call, t.db.node)
      await insertCall(tx, { ...former, endedAt: START - hour }, t.db.node)
    })
    const all = [...t.calls, ...late]
    const filters: readonly CallFilter[] = [
      { endedFrom: START },
      { endedFrom: START, endedBefore: START + 2 * MINUTE },
      { endedFrom: START, to: '+15005550000' },
      { endedFrom: START, startedFrom: START - 42 * hour },
      { endedFrom: START, startedBefore: START - 10 * hour },
    ]
    for (const filter of filters)
      for (const maxScanned of [4, undefined]) {
        const wanted = expected(all, filter)
        const seen: string[] = []
        let after: Position | undefined
        do {
          const cursor = after === undefined ? undefined : { side: 'after' as const, ...after }
          const request = { limit: 4, offset: 0, cursor }
          const { db, accountSid, kept } = t
          const page = await listCalls(db.read, accountSid, filter, request, kept, maxScanned)
          seen.push(...page.items.map(({ sid }) => sid))
          after = page.nextAfter
        } while (after !== undefined)
        expect(seen, JSON.stringify({ filter, maxScanned })).toEqual(wanted)
      }
    const cursor = { side: 'before', ...positionOf(all, late[3]?.sid) } as const
    const request = { limit: 2, offset: 9, cursor }
    const before = await listCalls(t.db.read, t.accountSid, { endedFrom: START }, request, t.kept)
    expect(before.items.map(({ sid }) => sid)).toEqual([late[1]?.sid, late[2]?.sid])
  })

  it('goes back to the page before', async () => {
    await using t = await setUp(50)
    const wanted = expected(t.calls, {})
    const cursor = { side: 'before', ...positionOf(t.calls, wanted[20]) } as const
    const page = await listCalls(
      t.db.read,
      t.accountSid,
      {},
      { limit: 10, offset: 99, cursor },
      t.kept,
    )
    expect(page.items.map(({ sid }) => sid)).toEqual(wanted.slice(10, 20))
    expect(page.nextAfter?.sid).toBe(wanted[19])
  })

  it('moves by page number alone, and goes on where a call was that is gone', async () => {
    await using t = await setUp(30)
    const wanted = expected(t.calls, {})
    const at = async (cursor?: Position & { side: 'after' }) => {
      const request = { limit: 10, offset: 10, ...(cursor === undefined ? {} : { cursor }) }
      const page = await listCalls(t.db.read, t.accountSid, {}, request, t.kept)
      return page.items.map(({ sid }) => sid)
    }
    expect(await at()).toEqual(wanted.slice(10, 20))
    const gone = wanted[9] ?? ''
    await t.db.write((tx) => deleteCall(tx, t.accountSid, gone))
    const cursor = { side: 'after', ...positionOf(t.calls, gone) } as const
    expect(await at(cursor)).toEqual(wanted.slice(10, 20))
  })

  it('has kept calls as the database has them: changed, deleted or new, whoever did it', async () => {
    await using t = await setUp(60)
    const page = async (offset: number) =>
      (await listCalls(t.db.read, t.accountSid, {}, { limit: 50, offset }, t.kept)).items
    const fresh = async (offset: number) =>
      (await listCalls(t.db.read, t.accountSid, {}, { limit: 50, offset }, new KeptCalls(clock)))
        .items
    const first = await page(0)
    const again = await page(0)
    expect(again).toEqual(first)
    // A call that is over is the same object: nothing is made of it a second time.
    const over = first.findIndex(({ endedAt }) => endedAt !== undefined)
    expect(again[over]).toBe(first[over])
    const find = (sid = '') => t.kept.find(t.db.read, { accountSid: t.accountSid, sid })
    expect(await find(first[over]?.sid)).toBe(first[over])
    const [changed, gone] = first.filter(({ endedAt }) => endedAt !== undefined)
    await t.db.write(async (tx) => {
      const set = { answeredBy: 'human', updatedAt: clock.now() }
      await tx
        .updateTable('calls')
        .set(set)
        .where('sid', '=', changed?.sid ?? '')
        .execute()
      await deleteCall(tx, t.accountSid, gone?.sid ?? '')
      const late = { ...callOf(t.accountSid, 1), createdAt: clock.now() }
      await insertCall(tx, { ...late, sid: `CA${'e'.repeat(32)}` }, t.db.node)
    })
    // By themselves before the pages: each has to see the change without the other.
    expect(await find(changed?.sid)).toMatchObject({ answeredBy: 'human' })
    expect(await find(gone?.sid)).toBeUndefined()
    expect(await page(0)).toEqual(await fresh(0))
    expect(await page(10)).toEqual(await fresh(10))
  })

  it('has one kept call as the database has it when its page was read again', async () => {
    await using t = await setUp(20)
    const find = (sid = '') => t.kept.find(t.db.read, { accountSid: t.accountSid, sid })
    const over = t.calls.find(({ endedAt }) => endedAt !== undefined)
    await find(over?.sid)
    const set = { answeredBy: 'fax', updatedAt: clock.now() - 60_000 }
    await t.db.write((tx) =>
      tx
        .updateTable('calls')
        .set(set)
        .where('sid', '=', over?.sid ?? '')
        .execute(),
    )
    await listCalls(t.db.read, t.accountSid, {}, { limit: 50, offset: 0 }, t.kept)
    expect(await find(over?.sid)).toMatchObject({ answeredBy: 'fax' })
  })

  it('keeps no call whose last change is so recent that another may bear the same time', async () => {
    await using t = await setUp(1)
    const made = { ...callOf(t.accountSid, 1), sid: `CA${'d'.repeat(32)}` }
    const recent = { ...made, createdAt: clock.now(), endedAt: clock.now(), updatedAt: clock.now() }
    await t.db.write((tx) => insertCall(tx, recent, t.db.node))
    const given = { accountSid: t.accountSid, sid: recent.sid }
    await t.kept.find(t.db.read, given)
    await t.db.write((tx) =>
      tx.updateTable('calls').set({ answeredBy: 'human' }).where('sid', '=', recent.sid).execute(),
    )
    expect(await t.kept.find(t.db.read, given)).toMatchObject({ answeredBy: 'human' })
  })

  it('tells nothing of a kept call to another account', async () => {
    await using t = await setUp(12)
    const [sid = ''] = t.calls
      .filter(({ endedAt }) => endedAt !== undefined)
      .map((call) => call.sid)
    const find = (accountSid: string) => t.kept.find(t.db.read, { accountSid, sid })
    expect(await find(t.accountSid)).toMatchObject({ sid })
    expect(await find(`AC${'0'.repeat(32)}`)).toBeUndefined()
  })

  it('counts every account for itself, through deletions', async () => {
    await using t = await setUp(12)
    const total = async () =>
      (await listCalls(t.db.read, t.accountSid, {}, { limit: 1, offset: 0 }, t.kept)).total
    expect(await total()).toBe(12)
    await t.db.write((tx) => deleteCall(tx, t.accountSid, t.calls[0]?.sid ?? ''))
    expect(await total()).toBe(11)
  })
})
