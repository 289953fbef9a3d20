import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../src/accounts/accounts.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { newSid } from '../../../../src/platform/ids.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { insertCall } from '../../../../src/voice/calls/storage/call-storage.js'
import { newCallRecord } from '../../../../src/voice/model/call-record.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

type Body = Readonly<Record<string, unknown>>
const START = Date.parse('2026-03-10T09:30:00Z')
const HOUR_MS = 3_600_000

async function setUp() {
  const bench = await setUpCalls()
  const log = createLogger('silent')
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log,
    mount: [createVoiceApi({ ...bench, log })],
  })
  const as =
    (account: Account) => async (method: string, path: string, form?: RequestInit['body']) => {
      const basic = Buffer.from(`${account.sid}:${account.secret}`).toString('base64')
      const answer = await app.request(path, {
        method,
        headers: { authorization: `Basic ${basic}` },
        ...(form === undefined ? {} : { body: form }),
      })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json') === true
      const body = (isJson ? JSON.parse(text) : {}) as Body
      return { status: answer.status, headers: answer.headers, text, body }
    }
  const root = `/2010-04-01/Accounts/${bench.account.sid}`
  return { ...bench, as, api: as(bench.account), root }
}

/** Calls that are over, an hour after another. */
async function addCalls({ db, account }: Awaited<ReturnType<typeof setUp>>, count: number) {
  await db.write(async (tx) => {
    for (let index = 0; index < count; index += 1) {
      const at = START + index * HOUR_MS
      const call = newCallRecord(
        {
          sid: `CA${index.toString(16).padStart(32, '0')}`,
          accountSid: account.sid,
          direction: 'outbound-api',
          to: '+15005550001',
          from: '+15551112222',
          plan: PLAN,
        },
        at,
      )
      await insertCall(
        tx,
        { ...call, status: 'completed', startedAt: at, endedAt: at + 60_000 },
        'local',
      )
    }
  })
}

type Setup = Awaited<ReturnType<typeof setUp>>

/** Follows the pages, deletes all that each shows before it asks for the next one. */
async function deleteByPages(t: Setup, list: string, name: string): Promise<number> {
  let next: string | null = `${t.root}/${list}.json?PageSize=5`
  let deleted = 0
  while (next !== null) {
    const { status, body }: { status: number; body: Body } = await t.api('GET', next)
    expect(status).toBe(200)
    for (const { sid } of body[name] as readonly { sid: string }[]) {
      expect((await t.api('DELETE', `${t.root}/${list}/${sid}.json`)).status).toBe(204)
      deleted += 1
    }
    next = body['next_page_uri'] as string | null
  }
  return deleted
}

describe('a list whose records are deleted while it is read', () => {
  it('shows every call once', async () => {
    await using t = await setUp()
    await addCalls(t, 150)
    expect(await deleteByPages(t, 'Calls', 'calls')).toBe(150)
    expect((await t.api('GET', `${t.root}/Calls.json`)).body).toMatchObject({ calls: [], total: 0 })
  })

  it('shows every queue once', async () => {
    await using t = await setUp()
    for (let index = 0; index < 13; index += 1) {
      const form = new URLSearchParams({ FriendlyName: `queue ${index}` })
      expect((await t.api('POST', `${t.root}/Queues.json`, form)).status).toBe(201)
    }
    expect(await deleteByPages(t, 'Queues', 'queues')).toBe(13)
  })
})

describe('a PageToken', () => {
  it.each([
    ['of another list', (token: string) => ['Queues.json', token]],
    ['that was changed', (token: string) => ['Calls.json', token.replace(/.$/, 'x')]],
    ['of the older form', (token: string) => ['Calls.json', token.split('-')[0] ?? '']],
    ['that is none', () => ['Calls.json', 'nonsense']],
  ])('%s gets 400 and 21481', async (_what, change) => {
    await using t = await setUp()
    await addCalls(t, 3)
    const { body } = await t.api('GET', `${t.root}/Calls.json?PageSize=2`)
    const url = new URL(body['next_page_uri'] as string, 'http://here.test')
    const [list, token = ''] = change(url.searchParams.get('PageToken') ?? '')
    const asked = await t.api('GET', `${t.root}/${list}?PageToken=${encodeURIComponent(token)}`)
    expect([asked.status, asked.body['code']]).toEqual([400, 21481])
  })

  it('of another account gets 400 and 21481', async () => {
    await using t = await setUp()
    await addCalls(t, 3)
    const other = await t.accounts.create({ friendlyName: 'other' })
    const { body } = await t.api('GET', `${t.root}/Calls.json?PageSize=2`)
    const path = (body['next_page_uri'] as string).replace(t.account.sid, other.sid)
    const asked = await t.as(other)('GET', path)
    expect([asked.status, asked.body['code']]).toEqual([400, 21481])
  })
})

describe('a total that is not counted to its end', () => {
  const lists = async (t: Setup, count: number) => {
    await addCalls(t, count)
    await t.db.write(async (tx) => {
      for (let index = 0; index < count; index += 1)
        await tx
          .insertInto('queues')
          .values({
            ...{ sid: `QU${index.toString(16).padStart(32, '0')}`, accountSid: t.account.sid },
            ...{ friendlyName: `queue ${index}`, maxSize: 1, createdAt: index, updatedAt: 0 },
          })
          .execute()
    })
    return [
      'Calls.json?To=%2B15005550001',
      'Calls.json?To=%2B15005550001&Status=completed&StartTime%3E=2026-01-01',
      'Queues.json?',
    ]
  }
  const ask = async (t: Setup, query: string) => {
    const { headers, body } = await t.api('GET', `${t.root}/${query}&PageSize=100`)
    return [body['total'], headers.get('x-total-is')]
  }

  it('is said to be a bound, but where the page has seen the end', async () => {
    await using t = await setUp()
    for (const list of await lists(t, 1_250)) {
      expect(await ask(t, `${list}&Page=0`), list).toEqual([1_000, 'lower-bound'])
      expect(await ask(t, `${list}&Page=11`), list).toEqual([1_201, 'lower-bound'])
      expect(await ask(t, `${list}&Page=12`), list).toEqual([1_250, null])
      expect(await ask(t, `${list}&Page=40`), list).toEqual([1_000, 'lower-bound'])
    }
    expect(await ask(t, 'Calls.json?Page=40')).toEqual([1_250, null])
    const none = 'Calls.json?To=%2B15005550001&Status=busy'
    expect(await ask(t, none)).toEqual([0, null])
  })

  it('is exact with as many records as are counted', async () => {
    await using t = await setUp()
    for (const list of await lists(t, 1_000))
      for (const page of [0, 40])
        expect(await ask(t, `${list}&Page=${page}`), list).toEqual([1_000, null])
  })
})

describe('an envelope', () => {
  it('says where its records begin and end, but for calls', async () => {
    await using t = await setUp()
    await addCalls(t, 3)
    for (const name of ['one', 'two', 'three'])
      await t.api('POST', `${t.root}/Queues.json`, new URLSearchParams({ FriendlyName: name }))
    const first = await t.api('GET', `${t.root}/Queues.json?PageSize=2`)
    expect(first.body).toMatchObject({ start: 0, end: 1 })
    expect((await t.api('GET', first.body['next_page_uri'] as string)).body).toMatchObject({
      start: 2,
      end: 2,
    })
    expect((await t.api('GET', `${t.root}/Recordings.json`)).body).toMatchObject({
      start: 0,
      end: 0,
    })
    const calls = (await t.api('GET', `${t.root}/Calls.json`)).body
    expect(['start' in calls, 'end' in calls]).toEqual([false, false])
  })

  it('in XML leads to pages in XML', async () => {
    await using t = await setUp()
    await addCalls(t, 3)
    const { text } = await t.api('GET', `${t.root}/Calls.xml?PageSize=1`)
    const [, next = ''] = /nextpageuri="([^"]*)"/.exec(text) ?? []
    expect(next).toContain('/Calls.xml?')
    expect((await t.api('GET', next.replaceAll('&amp;', '&'))).text).toContain('<Calls ')
  })
})

describe('a filter by day', () => {
  it.each([
    ['StartTime=2026-03-11', 24],
    ['StartTime=2026-03-11T00:00:00Z', 24],
    ['StartTime=2026-03-11T00:00:00.000Z', 24],
    ['StartTime=2026-03-11T01:00:00%2B01:00', 24],
    ['StartTime=2026-03-11T00:30:00Z', 1],
    ['StartTime%3C=2026-03-11T00:00:00Z', 15],
    ['StartTime%3E=2026-03-11T00:00:00Z', 60 - 15 - 24],
    ['StartTime%3E%3D=2026-03-11', 60 - 15],
  ])('%s finds %i calls', async (query, count) => {
    await using t = await setUp()
    await addCalls(t, 60)
    const { body } = await t.api('GET', `${t.root}/Calls.json?PageSize=100&${query}`)
    expect(body['calls']).toHaveLength(count)
  })
})

describe('a parameter that is sent twice', () => {
  const E164 = ['%2B15005550009', '%2B15005550001']

  it.each([
    ['Calls', 'Status=busy&Status=completed', 3],
    ['Calls', 'Status=completed&Status=busy', 0],
    ['Calls', `To=${E164.join('&To=')}`, 3],
    ['Calls', 'StartTime=2020-01-01&StartTime=2026-03-10', 3],
    ['Calls', 'PageSize=1&PageSize=2', 2],
    ['IncomingPhoneNumbers', `PhoneNumber=${E164.join('&PhoneNumber=')}`, 1],
    ['Applications', 'FriendlyName=b&FriendlyName=a', 1],
    ['Conferences', 'Status=completed&Status=nonsense', 'refused'],
  ])('counts by its last value, as in a form: %s?%s', async (list, query, expected) => {
    await using t = await setUp()
    await addCalls(t, 3)
    const form = new URLSearchParams([
      ['FriendlyName', 'b'],
      ['FriendlyName', 'a'],
    ])
    await t.api('POST', `${t.root}/Applications.json`, form)
    const [, ours = ''] = E164
    const number = new URLSearchParams([['PhoneNumber', decodeURIComponent(ours)]])
    await t.api('POST', `${t.root}/IncomingPhoneNumbers.json`, number)
    const answer = await t.api('GET', `${t.root}/${list}.json?${query}`)
    const found = Object.values(answer.body).find((value) => Array.isArray(value))
    expect(answer.status === 400 ? 'refused' : found?.length).toBe(expected)
  })
})

describe('a filter by sid', () => {
  it('may be written in capital hex digits: the calls of a parent', async () => {
    await using t = await setUp()
    const parentCallSid = `CA${'ab'.repeat(16)}`
    const { account, db } = t
    const route = { to: '+15005550001', from: '+15551112222', plan: PLAN }
    const child = {
      sid: newSid('CA'),
      accountSid: account.sid,
      direction: 'outbound-dial',
    } as const
    await db.write((tx) =>
      insertCall(tx, newCallRecord({ ...child, ...route, parentCallSid }, START), 'local'),
    )
    const { body } = await t.api('GET', `${t.root}/Calls.json?ParentCallSid=CA${'AB'.repeat(16)}`)
    expect(body['calls']).toMatchObject([{ sid: child.sid }])
  })
})

describe('a request', () => {
  it('may be a form in parts', async () => {
    await using t = await setUp()
    const form = new FormData()
    form.append('FriendlyName', 'in parts')
    const made = await t.api('POST', `${t.root}/Queues.json`, form)
    expect([made.status, made.body['friendly_name']]).toEqual([201, 'in parts'])
  })

  it('in parts that are none gets 400', async () => {
    await using t = await setUp()
    const body = new Blob(['nonsense'], { type: 'multipart/form-data; boundary=x' })
    const asked = await t.api('POST', `${t.root}/Queues.json`, body)
    expect([asked.status, asked.body['code']]).toEqual([400, 20422])
  })

  it('that is wrong is told the whole URL of the page that explains it', async () => {
    await using t = await setUp()
    const { body } = await t.api('GET', `${t.root}/Calls/CA${'0'.repeat(32)}.json`)
    expect(body['more_info']).toBe('http://localhost/docs/errors#20404')
  })

  it('for Accounts without credentials gets 401', async () => {
    await using t = await setUp()
    const stranger = t.as({ ...t.account, secret: 'wrong' })
    expect((await stranger('GET', '/2010-04-01/Accounts.json')).status).toBe(401)
    expect((await t.api('GET', '/2010-04-01/Accounts.json')).status).toBe(404)
  })
})
