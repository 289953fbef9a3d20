import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import twilio from 'twilio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillRows } from '../support/process/fill-rows.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const PYTHON = '/usr/bin/python3'
const RECORDING = `RE${'a'.repeat(32)}`
const sidOf = (index: number): string => `TR${index.toString(16).padStart(32, '0')}`

let trunkline: RunningTrunkline

beforeAll(async () => {
  trunkline = await startTrunkline()
  const at = Date.parse('2026-03-10T12:00:00Z')
  const common = { accountSid: trunkline.account.sid, createdAt: at, updatedAt: at }
  await fillRows(trunkline, 'recordings', [
    {
      ...{ ...common, sid: RECORDING, callSid: `CA${'a'.repeat(32)}`, conferenceSid: null },
      ...{ status: 'completed', source: 'RecordVerb', channels: 1, track: 'both' },
      ...{ trim: 'do-not-trim', maxMs: null, callback: null, startedAt: at },
      ...{ durationMs: 4_000, errorCode: null },
    },
  ])
  const rows = Array.from({ length: 7 }, (_, index) => ({
    ...{ ...common, sid: sidOf(index), recordingSid: RECORDING, createdAt: at + index },
    ...{ status: 'completed', durationMs: 4_000, text: `text ${index}` },
  }))
  await fillRows(trunkline, 'transcriptions', rows)
})
afterAll(() => trunkline[Symbol.asyncDispose]())

it("are listed, fetched and removed by the convention's own Node client", async () => {
  const client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  const all = await client.transcriptions.list({ pageSize: 3 })
  expect(all.map(({ sid }) => sid)).toEqual([6, 5, 4, 3, 2, 1, 0].map(sidOf))
  expect(await client.recordings(RECORDING).transcriptions.list()).toHaveLength(7)
  const one = await client.transcriptions(sidOf(1)).fetch()
  expect(one).toMatchObject({
    ...{ transcriptionText: 'text 1', status: 'completed', duration: '4', type: 'fast' },
    ...{ recordingSid: RECORDING, apiVersion: '2010-04-01', priceUnit: 'USD' },
    dateCreated: new Date('2026-03-10T12:00:00Z'),
  })
  expect(await client.recordings(RECORDING).transcriptions(sidOf(0)).fetch()).toMatchObject({
    transcriptionText: 'text 0',
  })
  expect(await client.transcriptions(sidOf(0)).remove()).toBe(true)
  expect(await client.recordings(RECORDING).transcriptions(sidOf(1)).remove()).toBe(true)
  await expect(client.transcriptions(sidOf(1)).fetch()).rejects.toMatchObject({ code: 20404 })
  expect(await client.transcriptions.list()).toHaveLength(5)
})

it("are listed, fetched and removed by Debian's Python client", async () => {
  const script = new URL('../support/voice/client-transcriptions.py', import.meta.url).pathname
  const { sid, secret } = trunkline.account
  const args = [script, trunkline.http, sid, secret, RECORDING]
  const { stdout } = await promisify(execFile)(PYTHON, args)
  expect(JSON.parse(stdout)).toEqual({
    listed: 5,
    of_recording: 5,
    text: 'text 6',
    left: 4,
  })
})
