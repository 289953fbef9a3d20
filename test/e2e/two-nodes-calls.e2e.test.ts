import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startTwoNodes, type TwoNodes } from '../support/process/two-nodes.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** A call whose server is asked for a change by way of the other one, as behind a load balancer. */
const POLL = { timeout: 20_000, interval: 20 }
const PAUSE = '<Response><Pause length="300"/></Response>'

let app: VoiceApp
let nodes: TwoNodes
/** The server of the calls, and the one that is asked. */
let own: RunningTrunkline
let other: RunningTrunkline

beforeAll(async () => {
  app = await startVoiceApp()
  nodes = await startTwoNodes()
  ;({ a: own, b: other } = nodes)
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function liveCall(form: Readonly<Record<string, string>> = {}): Promise<string> {
  const { sid } = await own.createCall({
    To: '+15005550003',
    From: '+15005550000',
    Markup: PAUSE,
    StatusCallback: `${app.url}/status`,
    ...form,
  })
  await expect.poll(async () => (await other.fetchCall(sid)).status, POLL).toBe('in-progress')
  return sid
}

const change = (sid: string, form: Readonly<Record<string, string>>) =>
  other.api('POST', `/Calls/${sid}.json`, form)

it('runs the document that it is given', async () => {
  const sid = await liveCall()
  const answer = await change(sid, { Url: `${app.url}/moved` })
  expect([answer.status, answer.body['sid']]).toEqual([200, sid])
  expect((await app.asked('/moved', sid))['CallStatus']).toBe('in-progress')
  expect((await app.completed(sid)).map((params) => params['CallStatus'])).toEqual(['completed'])
})

it('ends, and tells of it where the change says', async () => {
  const sid = await liveCall()
  const answer = await change(sid, { Status: 'completed', StatusCallback: `${app.url}/moved-end` })
  expect([answer.status, answer.body['status']]).toEqual([200, 'completed'])
  expect((await app.asked('/moved-end', sid))['CallStatus']).toBe('completed')
  expect(app.callbacks(sid)).toEqual([])
  // Nothing is left to change.
  expect((await change(sid, { Status: 'completed' })).status).toBe(200)
  expect((await change(sid, { Url: `${app.url}/late` })).body['code']).toBe(21220)
})

it('is over when the time that it is given has passed', async () => {
  const sid = await liveCall()
  expect((await change(sid, { TimeLimit: '1' })).status).toBe(200)
  expect((await app.completed(sid)).map((params) => params['CallStatus'])).toEqual(['completed'])
})

it('runs no document before it is answered', async () => {
  const { sid } = await own.createCall({
    To: '+15005550007',
    From: '+15005550000',
    Markup: PAUSE,
    Timeout: '60',
  })
  await expect.poll(async () => (await other.fetchCall(sid)).status, POLL).toBe('ringing')
  expect((await change(sid, { Url: `${app.url}/early` })).body['code']).toBe(21220)
  expect((await change(sid, { Status: 'canceled' })).body['status']).toBe('canceled')
})

it('is not found by another account', async () => {
  const sid = await liveCall()
  const answer = await fetch(
    `${other.http}/2010-04-01/Accounts/AC${'0'.repeat(32)}/Calls/${sid}.json`,
    { method: 'POST', body: new URLSearchParams({ Status: 'completed' }) },
  )
  expect(answer.status).toBe(401)
  expect((await other.fetchCall(sid)).status).toBe('in-progress')
  await change(sid, { Status: 'completed' })
})

it('waits in a queue that each server shows, counts, limits and takes it from', async () => {
  const waits = `<Response><Enqueue action="${app.url}/after">line</Enqueue></Response>`
  const sid = await liveCall({ Markup: waits })
  const lines = async (server: RunningTrunkline) => {
    const { body } = await server.api('GET', '/Queues.json')
    return body['queues'] as readonly { readonly sid: string; readonly current_size: number }[]
  }
  await expect.poll(async () => (await lines(other))[0]?.current_size, POLL).toBe(1)
  const [line] = await lines(other)
  const queue = `/Queues/${String(line?.sid)}`
  const { body: page } = await other.api('GET', `${queue}/Members.json`)
  expect(page['queue_members']).toMatchObject([{ call_sid: sid, position: 1 }])
  expect((await other.api('GET', `${queue}/Members/Front.json`)).body['call_sid']).toBe(sid)
  expect((await other.api('POST', `${queue}.json`, { MaxSize: '1' })).body['current_size']).toBe(1)

  const late = await other.createCall({
    To: '+15005550003',
    From: '+15005550000',
    Markup: waits.replace('/after', '/full'),
  })
  expect((await app.asked('/full', late.sid))['QueueResult']).toBe('queue-full')

  const taken = await other.api('POST', `${queue}/Members/Front.json`, { Url: `${app.url}/taken` })
  expect([taken.status, taken.body['call_sid']]).toEqual([200, sid])
  expect((await app.asked('/taken', sid))['CallStatus']).toBe('in-progress')
  await expect.poll(async () => (await lines(own))[0]?.current_size, POLL).toBe(0)
  expect((await other.api('POST', `${queue}/Members/${sid}.json`, { Url: app.url })).status).toBe(
    404,
  )
})

it('is unchanged while its server is silent, and the answer says so', async () => {
  const sid = await liveCall()
  own.server.process.kill('SIGSTOP')
  try {
    const answer = await change(sid, { Url: `${app.url}/unheard` })
    expect(answer.status).toBe(503)
    expect(answer.body['message']).toMatch(/does not answer/)
  } finally {
    own.server.process.kill('SIGCONT')
  }
  expect((await change(sid, { Status: 'completed' })).body['status']).toBe('completed')
  expect(app.sink.requests.filter(({ target }) => target === '/unheard')).toEqual([])
})

it('counts for its server: each has its part of what an account may have at once', async () => {
  const made = await own.adminApi('POST', '/accounts', { friendlyName: 'Limited' })
  const { accountSid, authToken } = made.body as { accountSid: string; authToken: string }
  const settings = { concurrentCalls: 2 }
  expect((await own.adminApi('PATCH', `/accounts/${accountSid}`, { settings })).status).toBe(200)
  const ask = async (server: RunningTrunkline, path: string, form?: Record<string, string>) => {
    const answer = await fetch(`${server.http}/2010-04-01/Accounts/${accountSid}${path}`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
      },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    return (await answer.json()) as { sid: string; status: string }
  }
  const ring = { To: '+15005550007', From: '+15005550000', Markup: PAUSE, Timeout: '300' }
  const call = async (server: RunningTrunkline) => (await ask(server, '/Calls.json', ring)).sid
  const statusOf = async (sid: string) => (await ask(other, `/Calls/${sid}.json`)).status
  const first = await call(other)
  await expect.poll(() => statusOf(first), POLL).toBe('ringing')
  const waiting = await call(other)
  const there = await call(own)
  await expect.poll(() => statusOf(there), POLL).toBe('ringing')
  expect(await statusOf(waiting)).toBe('queued')
  await ask(other, `/Calls/${first}.json`, { Status: 'canceled' })
  await expect.poll(() => statusOf(waiting), POLL).toBe('ringing')
  for (const sid of [waiting, there]) await ask(other, `/Calls/${sid}.json`, { Status: 'canceled' })
  await expect.poll(() => statusOf(waiting), POLL).toBe('canceled')
  await expect.poll(() => statusOf(there), POLL).toBe('canceled')
})
