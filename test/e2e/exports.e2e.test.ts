import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillTable } from '../../src/platform/database/sqlite/fill-table.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'

const CALLS = 100_000
const DAY_MS = 86_400_000
const MEBIBYTE = 1024 * 1024
/** What the process may grow by while it builds: a page of records, and what the runtime keeps. */
const MAX_GROWTH = 120 * MEBIBYTE

const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
const yesterday = new Date(today - DAY_MS).toISOString().slice(0, 10)

let trunkline: RunningTrunkline

beforeAll(async () => {
  // The filling of the table below is SQLite's own.
  trunkline = await startTrunkline()
})
afterAll(() => trunkline[Symbol.asyncDispose]())

function* calls(accountSid: string) {
  for (let index = 0; index < CALLS; index += 1) {
    const at = today - DAY_MS + Math.floor((index * DAY_MS) / CALLS)
    const seconds = index % 100
    yield {
      sid: `CA${index.toString(16).padStart(32, '0')}`,
      account_sid: accountSid,
      direction: 'outbound-api',
      to_address: '+15551112222',
      from_address: '+15553334444',
      status: 'completed',
      started_at: at,
      answered_at: at,
      ended_at: at + 1_000 * seconds,
      duration_seconds: seconds,
      queue_ms: 0,
      sip_status: 200,
      plan: '{"document":{"type":"inline","text":"<Response/>"},"timeoutSeconds":60}',
      callback_count: 0,
      node: 'filled',
      created_at: at,
      updated_at: at,
    }
  }
}

interface Sum {
  readonly count: number
  readonly seconds: number
}

async function listed(): Promise<Sum> {
  let path: string | null = `/Calls.json?StartTime=${yesterday}&PageSize=1000`
  let count = 0
  let seconds = 0
  while (path !== null) {
    const { body } = await trunkline.api('GET', path)
    // As the API documents its lists.
    const page = body as unknown as {
      calls: { duration: string }[]
      next_page_uri: string | null
    }
    count += page.calls.length
    for (const { duration } of page.calls) seconds += Number(duration)
    path = page.next_page_uri?.replace(/^.*?\/Calls/, '/Calls') ?? null
  }
  return { count, seconds }
}

it('builds a day of 100,000 calls in little memory; it adds up with the list, and its link leads there', async () => {
  const file = join(trunkline.folder, 'data', 'trunkline.db')
  fillTable(file, 'calls', calls(trunkline.account.sid))
  const before = (await trunkline.metrics())['resident_bytes'] ?? 0
  const asked = await trunkline.api('POST', `/Exports/${yesterday}/Job.json`, {})
  expect(asked).toMatchObject({ status: 202, body: { date: yesterday, size: null } })
  const progress: number[] = []
  let peak = 0
  let job: Readonly<Record<string, unknown>> = {}
  await waitUntil(
    'the archive is built',
    async () => {
      job = (await trunkline.api('GET', `/Exports/${yesterday}/Job.json`)).body
      peak = Math.max(peak, (await trunkline.metrics())['resident_bytes'] ?? 0)
      progress.push(Number(job['progress']))
      return job['status'] === 'completed'
    },
    120_000,
    () => job,
  )
  expect(job).toMatchObject({ progress: 100, records: CALLS })
  expect(progress.toSorted((a, b) => a - b)).toEqual(progress)
  expect(peak - before).toBeLessThan(MAX_GROWTH)

  const list = (await trunkline.api('GET', '/Exports.json')).body
  const uri = `/2010-04-01/Accounts/${trunkline.account.sid}/Exports`
  expect(list).toEqual({
    account_sid: trunkline.account.sid,
    uri: `${uri}.json`,
    exports: [{ date: yesterday, size: job['size'], uri: `${uri}/${yesterday}` }],
  })

  const basic = Buffer.from(`${trunkline.account.sid}:${trunkline.account.secret}`)
  const answer = await fetch(`${trunkline.http}${uri}/${yesterday}`, {
    headers: { authorization: `Basic ${basic.toString('base64')}` },
    redirect: 'manual',
  })
  expect(answer.status).toBe(302)
  const archive = await fetch(answer.headers.get('location') ?? '')
  const bytes = Buffer.from(await archive.arrayBuffer())
  expect(bytes.length).toBe(job['size'])
  const folder = join(trunkline.folder, 'archive')
  mkdirSync(folder)
  writeFileSync(join(folder, 'day.tar'), bytes)
  const gzipped = execFileSync('tar', ['-xOf', join(folder, 'day.tar'), 'calls.jsonl.gz'], {
    maxBuffer: 256 * MEBIBYTE,
  })
  const lines = gunzipSync(gzipped).toString('utf8').trimEnd().split('\n')
  const sum = lines
    .map((line) => Number((JSON.parse(line) as { duration: string }).duration))
    .reduce((total, seconds) => total + seconds, 0)
  expect({ count: lines.length, seconds: sum }).toEqual(await listed())
  expect(lines).toHaveLength(CALLS)
}, 240_000)

it.each([
  ['GET', `/Exports/${yesterday.replace(/..$/, '99')}`, 404],
  ['GET', '/Exports/yesterday', 400],
  ['GET', '/Exports/2024-01-01/Job.json', 404],
  ['POST', '/Exports/2024-01-01/Job.json', 400],
  ['POST', '/Exports/2999-01-01/Job.json', 400],
])('%s %s answers %i', async (method, path, status) => {
  const { body, ...answer } = await trunkline.api(method, path)
  expect(answer.status).toBe(status)
  expect(body).toMatchObject({ status, code: status === 404 ? 20404 : 20422 })
})

it('shows an archive to no other account', async () => {
  const made = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'other' })
  const sid = String(made.body['accountSid'])
  const basic = Buffer.from(`${sid}:${String(made.body['authToken'])}`).toString('base64')
  const headers = { authorization: `Basic ${basic}` }
  const base = `${trunkline.http}/2010-04-01/Accounts/${sid}/Exports`
  expect((await fetch(`${base}/${yesterday}`, { headers, redirect: 'manual' })).status).toBe(404)
  expect(await (await fetch(`${base}.json`, { headers })).json()).toMatchObject({ exports: [] })
})
