import { describe, expect, it } from 'vitest'
import type { Account } from '../../../../src/accounts/accounts.js'
import { createPublicApp } from '../../../../src/platform/http/public-app.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createVoiceApi } from '../../../../src/voice/api/voice-api.js'
import { setUpCalls } from '../../../support/voice/calls-fixture.js'

type Body = Readonly<Record<string, unknown>>

async function setUp() {
  const bench = await setUpCalls()
  const app = createPublicApp({
    version: '0.0.0',
    readiness: () => ({ isReady: true, detail: {} }),
    log: createLogger('silent'),
    mount: [createVoiceApi({ ...bench, log: createLogger('silent') })],
  })
  const as = (account: Account) => {
    const basic = Buffer.from(`${account.sid}:${account.secret}`).toString('base64')
    return async (method: string, path: string, form?: Readonly<Record<string, string>>) => {
      const answer = await app.request(`/2010-04-01/Accounts/${account.sid}${path}`, {
        method,
        headers: { authorization: `Basic ${basic}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      })
      const text = await answer.text()
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
    }
  }
  return { ...bench, as, api: as(bench.account) }
}

describe('the Queues resource', () => {
  it('makes, shows, changes and deletes a queue', async () => {
    await using t = await setUp()
    const made = await t.api('POST', '/Queues.json', { FriendlyName: 'support' })
    expect(made.status).toBe(201)
    const sid = made.body['sid'] as string
    const uri = `/2010-04-01/Accounts/${t.account.sid}/Queues/${sid}`
    expect(made.body).toMatchObject({
      sid: expect.stringMatching(/^QU[0-9a-f]{32}$/) as unknown,
      account_sid: t.account.sid,
      friendly_name: 'support',
      current_size: 0,
      max_size: 1_000,
      average_wait_time: 0,
      date_created: expect.stringMatching(/\+0000$/) as unknown,
      uri: `${uri}.json`,
      subresource_uris: { members: `${uri}/Members.json` },
    })
    const changed = await t.api('POST', `/Queues/${sid}.json`, {
      FriendlyName: 'sales',
      MaxSize: '5',
    })
    expect(changed.body).toMatchObject({ friendly_name: 'sales', max_size: 5 })
    expect((await t.api('GET', `/Queues/${sid}.json`)).body).toEqual(changed.body)
    expect((await t.api('GET', `/Queues/${sid}/Members.json`)).body).toMatchObject({
      queue_members: [],
      total: 0,
    })
    expect((await t.api('DELETE', `/Queues/${sid}.json`)).status).toBe(204)
    expect((await t.api('GET', `/Queues/${sid}.json`)).status).toBe(404)
  })

  it('lists the newest first, a page at a time', async () => {
    await using t = await setUp()
    const names = Array.from({ length: 7 }, (_, i) => `queue ${i}`)
    for (const FriendlyName of names) await t.api('POST', '/Queues.json', { FriendlyName })
    const seen: string[] = []
    let path: string | null = '/Queues.json?PageSize=3'
    while (path !== null) {
      const { body } = await t.api('GET', path)
      seen.push(
        ...(body['queues'] as { friendly_name: string }[]).map((queue) => queue.friendly_name),
      )
      expect(body['total']).toBe(7)
      const next = body['next_page_uri'] as string | null
      path = next === null ? null : next.replace(/^.*\/Queues/, '/Queues')
    }
    expect([...seen].sort()).toEqual(names)
    expect(seen).toHaveLength(7)
  })

  it.each([
    [{}, 20002],
    [{ FriendlyName: '' }, 20002],
    [{ FriendlyName: 'x'.repeat(65) }, 20002],
    [{ FriendlyName: 'two\nlines' }, 20002],
    [{ FriendlyName: 'taken' }, 22003],
    [{ FriendlyName: 'new', MaxSize: '0' }, 20422],
    [{ FriendlyName: 'new', MaxSize: '5001' }, 20422],
    [{ FriendlyName: 'new', MaxSize: 'many' }, 20422],
  ])('refuses to make %o with 400, %i, and leaves nothing', async (form, code) => {
    await using t = await setUp()
    await t.api('POST', '/Queues.json', { FriendlyName: 'taken' })
    const refused = await t.api('POST', '/Queues.json', form)
    expect(refused).toMatchObject({ status: 400, body: { code } })
    expect((await t.api('GET', '/Queues.json')).body['total']).toBe(1)
  })

  it('does not rename a queue to what another one is called', async () => {
    await using t = await setUp()
    await t.api('POST', '/Queues.json', { FriendlyName: 'first' })
    const { body } = await t.api('POST', '/Queues.json', { FriendlyName: 'second' })
    const path = `/Queues/${body['sid'] as string}.json`
    const refused = await t.api('POST', path, { FriendlyName: 'first' })
    expect(refused).toMatchObject({ status: 400, body: { code: 22003 } })
    expect((await t.api('POST', path, { FriendlyName: 'second' })).status).toBe(200)
  })

  it('shows nothing of a queue to another account, which may have one of that name', async () => {
    await using t = await setUp()
    const { body } = await t.api('POST', '/Queues.json', { FriendlyName: 'support' })
    const sid = body['sid'] as string
    const theirs = t.as(await t.accounts.create({ friendlyName: 'other' }))
    const absent = `QU${'0'.repeat(32)}`
    const form = { Url: 'http://app.test/', FriendlyName: 'mine' }
    for (const [method, path] of [
      ['GET', `/Queues/${sid}.json`],
      ['POST', `/Queues/${sid}.json`],
      ['DELETE', `/Queues/${sid}.json`],
      ['GET', `/Queues/${sid}/Members.json`],
      ['GET', `/Queues/${sid}/Members/Front.json`],
      ['POST', `/Queues/${sid}/Members/Front.json`],
    ] as const) {
      const sent = method === 'POST' ? form : undefined
      const answer = await theirs(method, path, sent)
      expect(answer.status).toBe(404)
      const other = await theirs(method, path.replace(sid, absent), sent)
      expect(JSON.stringify(other).replaceAll(absent, sid)).toBe(JSON.stringify(answer))
    }
    expect((await theirs('POST', '/Queues.json', { FriendlyName: 'support' })).status).toBe(201)
    expect((await t.api('GET', `/Queues/${sid}.json`)).body['friendly_name']).toBe('support')
  })

  it('refuses to dequeue a caller to no address, and a caller that it does not have', async () => {
    await using t = await setUp()
    const { body } = await t.api('POST', '/Queues.json', { FriendlyName: 'support' })
    const member = `/Queues/${body['sid'] as string}/Members/Front.json`
    expect((await t.api('POST', member, { Url: 'http://app.test/' })).body['code']).toBe(20404)
    const callSid = `CA${'1'.repeat(32)}`
    const at = { accountSid: t.account.sid, queueSid: body['sid'] as string, callSid }
    t.queues.member = () => Promise.resolve({ ...at, enqueuedAt: 0, position: 1, waitedMs: 0 })
    const refused = async (form: Readonly<Record<string, string>>) =>
      (await t.api('POST', member, form)).body['code']
    expect(await refused({})).toBe(21205)
    expect(await refused({ Url: 'ftp://app.test/' })).toBe(21205)
    expect(await refused({ Url: 'http://app.test/', Method: 'PUT' })).toBe(21209)
  })
})
