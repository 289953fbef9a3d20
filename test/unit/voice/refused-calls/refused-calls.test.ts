import { describe, expect, it } from 'vitest'
import { StorageUnavailableError } from '../../../../src/platform/database/storage-error.js'
import { type Refusal, RefusedCalls } from '../../../../src/voice/refused-calls/refused-calls.js'
import { interrupted } from '../../../support/process/interrupted-database.js'
import { recordingLog } from '../../../support/process/recording-log.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'

const HOUR_MS = 3_600_000
const START = 1_000_000 * HOUR_MS

function refusal(change: Partial<Refusal> = {}): Refusal {
  return {
    address: '192.0.2.9',
    port: 5060,
    transport: 'udp',
    fromUri: 'sip:+15550001111@192.0.2.9',
    called: 'sip:+15551112222@203.0.113.1',
    callId: 'c1',
    userAgent: 'phone',
    status: 404,
    why: 'nobody holds the number',
    accountSid: undefined,
    ...change,
  }
}

async function setUp() {
  const folder = tempFolder()
  const opened = await openTestDatabase(folder.path)
  const { db, next } = interrupted(opened)
  let now = START
  const { log, lines } = recordingLog()
  const refused = new RefusedCalls({ db, clock: { now: () => now }, log, days: 30 })
  return {
    refused,
    lines,
    /** Lets the database refuse the next write. */
    refuseWrite: () => {
      next.first = () => Promise.reject(new StorageUnavailableError('the disk is full'))
    },
    wait: (ms: number) => {
      now += ms
    },
    [Symbol.asyncDispose]: async () => {
      await refused[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe('refused calls', () => {
  it('are listed with sender, number and reason; equal ones of an hour in one row', async () => {
    await using t = await setUp()
    t.refused.note(refusal())
    t.wait(60_000)
    t.refused.note(refusal({ callId: 'c2' }))
    expect(await t.refused.list({}, 10)).toMatchObject([
      {
        ...refusal({ callId: 'c2' }),
        accountSid: null,
        calls: 2,
        firstAt: START,
        lastAt: START + 60_000,
      },
    ])
    // A row that is stored already counts on.
    t.refused.note(refusal({ callId: 'c3' }))
    t.wait(HOUR_MS)
    t.refused.note(refusal({ callId: 'c4' }))
    const rows = await t.refused.list({}, 10)
    expect(rows.map(({ calls, callId }) => [calls, callId])).toEqual([
      [1, 'c4'],
      [3, 'c3'],
    ])
  })

  it('are found by sender, status, number and time', async () => {
    await using t = await setUp()
    t.refused.note(refusal())
    t.refused.note(refusal({ address: '192.0.2.10' }))
    t.refused.note(refusal({ status: 403, why: 'the address is of no carrier' }))
    t.wait(60_000)
    t.refused.note(refusal({ called: 'sip:other@203.0.113.1' }))
    const count = async (filter: Parameters<RefusedCalls['list']>[0]) =>
      (await t.refused.list(filter, 10)).length
    expect(await count({})).toBe(4)
    expect(await count({ address: '192.0.2.10' })).toBe(1)
    expect(await count({ status: 403 })).toBe(1)
    expect(await count({ called: 'sip:other@203.0.113.1' })).toBe(1)
    expect(await count({ since: START + 1 })).toBe(1)
    expect(await t.refused.list({}, 2)).toHaveLength(2)
  })

  it('of a source that tries many numbers share a row, as do those of many sources', async () => {
    await using t = await setUp()
    for (let number = 0; number < 200; number += 1)
      t.refused.note(refusal({ called: `sip:${number}@203.0.113.1` }))
    const rows = await t.refused.list({}, 1_000)
    expect(rows).toHaveLength(21)
    const shared = rows.find(({ called }) => called === '')
    expect(shared).toMatchObject({ calls: 180, address: '192.0.2.9', status: 404 })
  })

  it('of a flood cost bounded rows, and none is lost from the counts', async () => {
    await using t = await setUp()
    for (let each = 0; each < 10_000; each += 1)
      t.refused.note(refusal({ address: `198.51.${each % 4}.${Math.floor(each / 4) % 250}` }))
    const rows = await t.refused.list({}, 1_000)
    expect(rows).toHaveLength(501)
    expect(rows.reduce((sum, { calls }) => sum + calls, 0)).toBe(10_000)
    expect(rows.filter(({ address }) => address === '')).toMatchObject([
      { called: '', why: 'many refusals, the last: nobody holds the number' },
    ])
  })

  it('wait while the database is away, with one line in the log', async () => {
    await using t = await setUp()
    t.refused.note(refusal())
    t.refuseWrite()
    expect(await t.refused.list({}, 10)).toEqual([])
    t.wait(60_000)
    t.refused.note(refusal({ callId: 'c2' }))
    t.refuseWrite()
    expect(await t.refused.list({}, 10)).toEqual([])
    expect(t.lines.map(({ fields }) => fields['msg'])).toEqual([
      'refused calls wait for the database',
    ])
    expect(await t.refused.list({}, 10)).toMatchObject([
      { calls: 2, callId: 'c2', firstAt: START, lastAt: START + 60_000 },
    ])
    expect([...t.refused.counts]).toEqual([[404, 2]])
  })

  it('keep no control character and no long text of a stranger', async () => {
    await using t = await setUp()
    t.refused.note(refusal({ userAgent: '\u001b[2J\u0000evil', fromUri: 'x'.repeat(5_000) }))
    const [row] = await t.refused.list({}, 10)
    expect(row?.userAgent).toBe('?[2J?evil')
    expect(row?.fromUri).toHaveLength(200)
  })
})

it('counts and lists refused REGISTERs apart from calls', async () => {
  await using t = await setUp()
  t.refused.note(refusal({ called: 'sip:register.test', status: 403, why: 'x' }))
  const register = {
    called: 'sip:register.test',
    status: 403,
    why: 'x',
    method: 'REGISTER',
  } as const
  t.refused.note(refusal(register))
  const rows = await t.refused.list({ called: 'sip:register.test' }, 10)
  expect(rows.map(({ method }) => method).toSorted()).toEqual(['INVITE', 'REGISTER'])
  expect([...t.refused.counts]).toEqual([[403, 1]])
  expect([...t.refused.registrationCounts]).toEqual([[403, 1]])
})
