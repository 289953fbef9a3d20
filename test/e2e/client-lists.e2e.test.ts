import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'

const DAY_MS = 86_400_000
const PYTHON = '/usr/bin/python3'

let trunkline: RunningTrunkline
let client: ReturnType<typeof twilio>
/** The UTC days on which the one call began and ended. */
let day: string
let endDay: string

beforeAll(async () => {
  trunkline = await joinTrunkline()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  const { sid } = await client.calls.create({
    to: '+15005550003',
    from: '+15551112222',
    twiml: '<Response><Say>One, two, three.</Say></Response>',
    record: true,
  })
  const state = async () => {
    const [recording] = await client.recordings.list({ callSid: sid })
    return [(await client.calls(sid).fetch()).status, recording?.status]
  }
  await waitUntil(
    'the call and its recording are complete',
    async () => (await state()).every((each) => each === 'completed'),
    30_000,
  )
  const call = await client.calls(sid).fetch()
  day = call.startTime.toISOString().slice(0, 10)
  endDay = call.endTime.toISOString().slice(0, 10)
}, 60_000)
afterAll(() => trunkline[Symbol.asyncDispose]())

/** GET of a path as it is written: `fetch` would encode it. */
async function getLiterally(path: string): Promise<readonly unknown[]> {
  const { sid, secret } = trunkline.account
  const request = get(trunkline.http, {
    path: `/2010-04-01/Accounts/${sid}${path}`,
    auth: `${sid}:${secret}`,
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return ((await json(response)) as { calls: readonly unknown[] }).calls
}

describe("the convention's own Node client, unmodified", () => {
  it('finds the calls of a day, and none of another', async () => {
    const startTime = new Date(`${day}T00:00:00Z`)
    expect(await client.calls.list({ startTime })).toHaveLength(1)
    const before = new Date(startTime.getTime() - DAY_MS)
    expect(await client.calls.list({ startTime: before })).toHaveLength(0)
  })

  it('deletes every queue while it pages through them', async () => {
    for (let index = 0; index < 13; index += 1)
      await client.queues.create({ friendlyName: `node ${index}` })
    let deleted = 0
    let page = await client.queues.page({ pageSize: 5 })
    for (;;) {
      for (const { sid } of page.instances) {
        await client.queues(sid).remove()
        deleted += 1
      }
      if (page.nextPageUrl === undefined) break
      page = await client.queues.getPage(page.nextPageUrl)
    }
    expect(deleted).toBe(13)
    expect(await client.queues.list()).toEqual([])
  })

  it('downloads a recording from its uri with another suffix', async () => {
    const [recording] = await client.recordings.list()
    const { sid, secret } = trunkline.account
    const authorization = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
    const uri = recording?.uri ?? ''
    for (const [suffix, type] of [
      ['.mp3', 'audio/mpeg'],
      ['.wav', 'audio/x-wav'],
    ] as const) {
      const url = trunkline.http + uri.replace('.json', suffix)
      const answer = await fetch(url, { headers: { authorization } })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
    }
  })
})

it("the convention's own Python client does the same", async () => {
  const { sid, secret } = trunkline.account
  const script = join(import.meta.dirname, '../support/voice/client-lists.py')
  const { stdout } = await promisify(execFile)(PYTHON, [script, trunkline.http, sid, secret, day])
  expect(JSON.parse(stdout)).toEqual({
    'calls of the day': 1,
    'calls of the day before': 0,
    'queues deleted': 13,
    'queues left': 0,
    sound: 'RIFF',
  })
})

it('comparisons that are not encoded are read as written', async () => {
  const after = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
  expect(await getLiterally(`/Calls.json?StartTime>=${day}`)).toHaveLength(1)
  expect(await getLiterally(`/Calls.json?StartTime>=${after}`)).toHaveLength(0)
  expect(await getLiterally(`/Calls.json?EndTime<=${endDay}`)).toHaveLength(1)
  expect(await getLiterally(`/Calls.json?StartTime%3E=${day}`)).toHaveLength(0)
  expect(await getLiterally(`/Calls.json?StartTime%3E%3D=${day}`)).toHaveLength(1)
})
