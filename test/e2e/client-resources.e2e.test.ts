import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillRows } from '../support/process/fill-rows.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import {
  type ClientRun,
  type GivenResources,
  recordingClient,
  useResources,
} from '../support/voice/client-resources.js'
import {
  type Exchange,
  faultsOf,
  OTHER_ANSWERS,
  RESOURCE_ANSWERS,
} from '../support/voice/resource-shapes.js'

const PYTHON = '/usr/bin/python3'
const RECORDING = `RE${'a'.repeat(32)}`
const CLAIMED = '+14155550199'
const AT = Date.parse('2026-03-10T12:00:00Z')
const DAY = '2026-03-10'

const STOCK = [
  'number,type,country,region,locality,postal_code,rate_center,lata,latitude,longitude',
  ...Array.from(
    { length: 3 },
    (_, i) => `+1415555010${i},local,US,CA,Oakland,94610,OKLD0349T,722,37.806940,-122.270360`,
  ),
  '+14155550103,local,US,,,,,,,',
  '+18005550100,toll-free,US,,,,,,,',
  '+14155550110,mobile,US,CA,,,,,,',
  '+442079460018,local,GB,,,,,,,',
  '',
].join('\n')

/** What both clients find: their lists have several pages. */
const COUNTS = {
  countries: 2,
  free: 4,
  'toll-free': 1,
  'free mobile': 1,
  numbers: 3,
  applications: 3,
  keys: 3,
  'signing keys': 3,
}

let trunkline: RunningTrunkline
let given: Omit<GivenResources, 'unverified'>

beforeAll(async () => {
  trunkline = await startTrunkline()
  const stocked = await fetch(`${trunkline.admin}/inventory/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${trunkline.adminToken}`, 'content-type': 'text/csv' },
    body: STOCK,
  })
  expect(await stocked.json()).toMatchObject({ added: 7, refused: 0 })
  const { body } = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'other' })
  const other = { accountSid: body['accountSid'] }
  await trunkline.adminApi('PUT', `/numbers/${encodeURIComponent(CLAIMED)}`, other)
  const call = await trunkline.createCall({
    ...{ To: '+15005550005', From: '+15005550000', Markup: '<Response/>' },
  })
  await fillRows(trunkline, 'recordings', [recordingRow()])
  await fillRows(trunkline, 'transcriptions', transcriptionRows())
  await fillRows(trunkline, 'caller_ids', callerIdRows())
  given = { claimed: CLAIMED, call: call.sid, recording: RECORDING }
})
afterAll(() => trunkline[Symbol.asyncDispose]())

const common = () => ({ accountSid: trunkline.account.sid, createdAt: AT, updatedAt: AT })

function recordingRow() {
  return {
    ...{ ...common(), sid: RECORDING, callSid: `CA${'a'.repeat(32)}`, conferenceSid: null },
    ...{ status: 'completed', source: 'RecordVerb', channels: 1, track: 'both' },
    ...{ trim: 'do-not-trim', maxMs: null, callback: null, startedAt: AT },
    ...{ durationMs: 4_000, errorCode: null },
  }
}

/** Transcriptions in each status; one that is not completed has no text, which is null. */
function transcriptionRows() {
  return Array.from({ length: 8 }, (_, index) => ({
    ...common(),
    sid: `TR${index.toString(16).padStart(32, '0')}`,
    recordingSid: RECORDING,
    createdAt: AT + index,
    status: ['completed', 'in-progress', 'failed'][index % 3] ?? '',
    durationMs: index % 3 === 0 ? 4_000 : null,
    text: index % 3 === 0 ? `text ${index}` : null,
  }))
}

function callerIdRows() {
  return Array.from({ length: 4 }, (_, index) => ({
    ...common(),
    sid: `PN${index.toString(16).padStart(32, '0')}`,
    phoneNumber: `+1555123000${index}`,
    friendlyName: `desk ${index}`,
  }))
}

/** Runs the same with Debian's Python client. */
async function useWithPython(unverified: string): Promise<ClientRun> {
  const script = join(import.meta.dirname, '../support/voice/client-resources.py')
  const { sid, secret } = trunkline.account
  const args = [script, trunkline.http, sid, secret, JSON.stringify({ ...given, unverified })]
  const { stdout } = await promisify(execFile)(PYTHON, args, { maxBuffer: 16 * 1024 * 1024 })
  // As the script prints it.
  return JSON.parse(stdout) as ClientRun
}

describe('every resource, made, fetched, listed, paged, changed and removed', () => {
  it("by the convention's own Node client answers every field with its type", async () => {
    const { account, http } = trunkline
    const run = await useResources(http, account, { ...given, unverified: '+15005550005' })
    expect(faultsOf(run.exchanges, RESOURCE_ANSWERS)).toEqual([])
    expect(run.counts).toEqual({ ...COUNTS, 'caller ids': 4, transcriptions: [8, 7] })
  })

  it("by Debian's Python client answers every field with its type", async () => {
    const run = await useWithPython('+15005550004')
    expect(faultsOf(run.exchanges, RESOURCE_ANSWERS)).toEqual([])
    expect(run.counts).toEqual({ ...COUNTS, 'caller ids': 3, transcriptions: [6, 5] })
  })

  it('has an inbound region for each SIP domain, as the Node client reads and changes it', async () => {
    const { client, exchanges } = recordingClient(trunkline.http, trunkline.account)
    const { domainName, sid } = await client.sip.domains.create({
      domainName: 'region.sip.example.test',
    })
    exchanges.length = 0
    const one = client.routes.v2.sipDomains(domainName)
    await one.fetch()
    const changed = await one.update({ voiceRegion: 'ie1', friendlyName: 'Dublin' })
    expect(changed).toMatchObject({ voiceRegion: 'ie1', friendlyName: 'Dublin' })
    await expect(
      client.routes.v2.sipDomains('absent.sip.example.test').fetch(),
    ).rejects.toMatchObject({ status: 404, code: 20404 })
    expect(faultsOf(exchanges, OTHER_ANSWERS.slice(1))).toEqual([])
    await client.sip.domains(sid).remove()
  })

  it('has a list of exports, for which the clients have no operation', async () => {
    await trunkline.api('POST', `/Exports/${DAY}/Job.json`, {})
    const target = `/2010-04-01/Accounts/${trunkline.account.sid}/Exports.json`
    const listed: Exchange[] = []
    await expect
      .poll(async () => {
        const { status, body } = await trunkline.api('GET', '/Exports.json')
        listed.splice(0, 1, { method: 'GET', target, status, body })
        return body['exports']
      })
      .not.toEqual([])
    expect(faultsOf(listed, OTHER_ANSWERS.slice(0, 1))).toEqual([])
  })
})
