import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'
import {
  downloadedArchive,
  fillCalls,
  listedCalls,
  YESTERDAY,
} from '../support/voice/exported-calls.js'

const CALLS = 40_000
/**
 * The heap that the process may use, in MiB: enough for a server and some pages of records, too little
 * for the calls of the day. A process that wants more ends.
 */
const MAX_HEAP = 96

let trunkline: RunningTrunkline

beforeAll(async () => {
  trunkline = await startTrunkline({ NODE_OPTIONS: `--max-old-space-size=${MAX_HEAP}` })
})
afterAll(() => trunkline[Symbol.asyncDispose]())

it('builds a day of 40,000 calls in little memory; it adds up with the list, and its link leads there', async () => {
  await fillCalls(trunkline, CALLS)
  const asked = await trunkline.api('POST', `/Exports/${YESTERDAY}/Job.json`, {})
  expect(asked).toMatchObject({ status: 202, body: { date: YESTERDAY, size: null } })
  const progress: number[] = []
  let job: Readonly<Record<string, unknown>> = {}
  await waitUntil(
    'the archive is built',
    async () => {
      job = (await trunkline.api('GET', `/Exports/${YESTERDAY}/Job.json`)).body
      progress.push(Number(job['progress']))
      return job['status'] === 'completed'
    },
    120_000,
    () => job,
  )
  expect(job).toMatchObject({ progress: 100, records: CALLS })
  expect(progress.toSorted((a, b) => a - b)).toEqual(progress)

  const list = (await trunkline.api('GET', '/Exports.json')).body
  const uri = `/2010-04-01/Accounts/${trunkline.account.sid}/Exports`
  expect(list).toEqual({
    account_sid: trunkline.account.sid,
    uri: `${uri}.json`,
    exports: [{ date: YESTERDAY, size: job['size'], uri: `${uri}/${YESTERDAY}` }],
  })

  const archive = await downloadedArchive(trunkline)
  expect(archive.bytes).toBe(job['size'])
  expect(archive.calls).toEqual(await listedCalls(trunkline))
  expect(archive.calls.count).toBe(CALLS)
}, 240_000)

it.each([
  ['GET', `/Exports/${YESTERDAY.replace(/..$/, '99')}`, 404],
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
  expect((await fetch(`${base}/${YESTERDAY}`, { headers, redirect: 'manual' })).status).toBe(404)
  expect(await (await fetch(`${base}.json`, { headers })).json()).toMatchObject({ exports: [] })
})
