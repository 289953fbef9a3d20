import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { MoveProgress } from '../../src/platform/database/moving/move-meter.js'
import { openDatabase } from '../../src/platform/database/open-database.js'
import { MIGRATIONS } from '../../src/wiring/migrations.js'
import { fillCalls } from '../bench/fill-calls.js'
import { runCommand, startCommand } from '../support/process/command-line.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { testDatabase } from '../support/process/test-database.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { privateBrand } from '../support/registry/registry-samples.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const POLL = { timeout: 20_000, interval: 50 }
const PASSWORD = 'not-for-the-log'
const CALLS = 60_000

/** The URL of an empty database, with a password that the server does not ask for. */
async function emptyDatabase(folder: string): Promise<string> {
  const url = new URL(await testDatabase(folder, 'empty'))
  url.password = PASSWORD
  return url.href
}

/** The reports of progress that the command wrote as JSON, one a line. */
const reportsIn = (text: string): readonly MoveProgress[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as MoveProgress) // what the command wrote

/** What customers read: each answer without the address of the server. */
async function answersOf(trunkline: RunningTrunkline, recording: string, brandId: string) {
  const { http, account } = trunkline
  const read = async (path: string) => (await trunkline.api('GET', path)).body
  const brand = await fetch(`${http}/v2/csp/brand/${brandId}`, {
    headers: { authorization: `Bearer ${account.secret}` },
  })
  const sound = await fetch(`${http}/2010-04-01/Accounts/${account.sid}/Recordings/${recording}`, {
    headers: {
      authorization: `Basic ${Buffer.from(`${account.sid}:${account.secret}`).toString('base64')}`,
    },
  })
  const answers = {
    calls: await read('/Calls.json'),
    recordings: await read('/Recordings.json'),
    numbers: await read('/IncomingPhoneNumbers.json'),
    brand: await brand.json(),
    sound: { status: sound.status, bytes: (await sound.arrayBuffer()).byteLength },
  }
  return JSON.parse(JSON.stringify(answers).replaceAll(http, 'http://server')) as typeof answers
}

async function register(trunkline: RunningTrunkline): Promise<string> {
  const answer = await fetch(`${trunkline.http}/v2/csp/brand/nonBlocking`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${trunkline.account.secret}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(privateBrand),
  })
  const brand = (await answer.json()) as { readonly brandId: string }
  await waitUntil(
    'the brand is scored',
    async () =>
      JSON.stringify((await answersOf(trunkline, 'RE', brand.brandId)).brand).includes('VERIFIED'),
    POLL.timeout,
  )
  return brand.brandId
}

async function placeCall(trunkline: RunningTrunkline, record: boolean): Promise<string> {
  const { sid } = await trunkline.createCall({
    To: '+15005550003',
    From: '+15005550000',
    Markup: '<Response><Say>One.</Say></Response>',
    Record: String(record),
  })
  await expect.poll(async () => (await trunkline.fetchCall(sid)).status, POLL).toBe('completed')
  return sid
}

it('a server on the moved database answers as before, and its calls go on', async () => {
  using folder = tempFolder()
  await using app = await startVoiceApp()
  const dataDir = join(folder.path, 'data')
  const settings = {
    DATA_DIR: dataDir,
    FIRST_ACCOUNT_SID: `AC${randomBytes(16).toString('hex')}`,
    FIRST_ACCOUNT_TOKEN: randomBytes(16).toString('hex'),
  }
  const url = await emptyDatabase(folder.path)
  let before: Awaited<ReturnType<typeof answersOf>>
  let recording = ''
  let brandId = ''
  {
    await using trunkline = await startTrunkline({ ...settings, DATABASE_URL: '' })
    await trunkline.assignNumber('+15551112222', { voiceUrl: `${app.url}/voice` })
    await placeCall(trunkline, false)
    const sid = await placeCall(trunkline, true)
    await expect
      .poll(async () => JSON.stringify((await trunkline.api('GET', '/Recordings.json')).body), POLL)
      .toContain('"status":"completed"')
    const { body } = await trunkline.api('GET', `/Recordings.json?CallSid=${sid}`)
    recording = (body as { recordings: [{ sid: string }] }).recordings[0].sid
    brandId = await register(trunkline)
    before = await answersOf(trunkline, recording, brandId)
    expect(before.sound.status).toBe(200)

    const early = await runCommand(['database', 'move', '--to', url], { DATA_DIR: dataDir })
    expect(early).toMatchObject({ code: 1, out: '' })
    expect(early.err).toContain('belongs to another running trunkline')
    expect(early.err).toContain('Stop that one first')
  }

  const moved = await runCommand(['database', 'move', '--to', url], { DATA_DIR: dataDir })
  expect(moved).toMatchObject({ code: 0 })
  expect(moved.err).toMatch(/copying calls: 2 of 2 rows, [\d,]+ rows\/s, \d+ s left/)
  expect(moved.err).toContain('verifying registry_brands: 1 of 1 rows')
  expect(moved.out).toContain('DATABASE_URL=postgres://trunkline:PASSWORD@127.0.0.1:')
  expect(moved.out).toContain(`stay in ${dataDir}`)
  expect(`${moved.out}${moved.err}`).not.toContain(PASSWORD)

  const again = await runCommand(['database', 'move', '--to', url], { DATA_DIR: dataDir })
  expect(again).toMatchObject({ code: 1, out: '' })
  expect(again.err).toContain('holds other rows already')

  await using trunkline = await startTrunkline({ ...settings, DATABASE_URL: url })
  expect(await answersOf(trunkline, recording, brandId)).toEqual(before)
  await placeCall(trunkline, true)
  expect((await trunkline.api('GET', '/Calls.json')).body).toMatchObject({ total: 3 })
  expect(trunkline.server.log()).not.toContain(PASSWORD)
})

describe('a move that is killed', () => {
  /** A data folder with many calls, as a server has left it. */
  async function manyCalls(dataDir: string): Promise<void> {
    const sid = `AC${randomBytes(16).toString('hex')}`
    await using _trunkline = await startTrunkline({
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      FIRST_ACCOUNT_SID: sid,
    })
    const calls = { accountSid: sid, from: 0, until: CALLS, startAt: 1_700_000_000_000 }
    fillCalls(join(dataDir, 'trunkline.db'), calls)
  }

  it('goes on where it was, and the sums agree', async () => {
    using folder = tempFolder()
    const dataDir = join(folder.path, 'data')
    await manyCalls(dataDir)
    const url = await emptyDatabase(folder.path)
    const args = ['database', 'move', '--json', '--to', url]

    const first = startCommand(args, { DATA_DIR: dataDir })
    const isWithinCalls = () =>
      reportsIn(first.err()).some(
        ({ step, table, rows, ofRows }) =>
          step === 'copying' && table === 'calls' && rows > 0 && rows < ofRows,
      )
    await waitUntil('a part of the calls is there', isWithinCalls, POLL.timeout)
    first.process.kill('SIGKILL')
    expect((await first.ended).code).toBeNull()
    const part = await countIn(url)
    expect(part).toBeGreaterThan(0)
    expect(part).toBeLessThan(CALLS)
    await expect(openDatabase(url, MIGRATIONS)).rejects.toThrow(
      'run `trunkline database move` again',
    )

    const second = await runCommand(args, { DATA_DIR: dataDir })
    expect(second).toMatchObject({ code: 0 })
    const progress = reportsIn(second.err)
    const [next] = progress.filter(({ step, table }) => step === 'copying' && table === 'calls')
    expect(next?.rows).toBeGreaterThanOrEqual(part)
    expect(JSON.parse(second.out)).toMatchObject({ isResumed: true })

    const db = new Sqlite(join(dataDir, 'trunkline.db'), { readonly: true })
    const sums = 'count(*) as rows, sum("createdAt") as created, sum("durationSeconds") as seconds'
    const original = db.prepare<[], Record<string, unknown>>(`select ${sums} from calls`).get()
    db.close()
    expect(await sumsIn(url, sums)).toEqual(
      Object.fromEntries(Object.entries(original ?? {}).map(([name, sum]) => [name, String(sum)])),
    )
    expect(
      await sumsIn(url, '(select sum(calls) from call_counts) as counted, count(*) as rows'),
    ).toEqual({
      counted: String(CALLS),
      rows: String(CALLS),
    })
  })
})

async function countIn(url: string): Promise<number> {
  return Number((await sumsIn(url, 'count(*) as rows'))['rows'])
}

async function sumsIn(url: string, sums: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, string>>(`select ${sums}\nfrom calls`)
    return rows[0] ?? {}
  } finally {
    await client.end()
  }
}
