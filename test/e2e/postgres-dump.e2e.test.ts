import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/process/temp-folder.js'
import { testDatabase } from '../support/process/test-database.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const DEBIAN = '/usr/lib/postgresql'
const POLL = { timeout: 20_000, interval: 50 }
const CALL = {
  To: '+15005550003',
  From: '+15005550000',
  Markup: '<Response><Say>One.</Say></Response>',
}

/** Runs a tool of PostgreSQL: Debian keeps those of the server out of the PATH. */
function run(tool: string, args: readonly string[]): void {
  const [newest = ''] = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
    : []
  const file = newest === '' ? tool : join(DEBIAN, newest, 'bin', tool)
  const ran = spawnSync(file, args, { encoding: 'utf8' })
  expect(ran.status, ran.error?.message ?? ran.stderr).toBe(0)
}

/** Makes a database without anything on the server of this one; resolves with its URL. */
async function emptyBeside(url: string): Promise<string> {
  const place = new URL(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    place.pathname = `restored_${randomBytes(6).toString('hex')}`
    await client.query(`create database ${place.pathname.slice(1)}`)
    return place.href
  } finally {
    await client.end()
  }
}

async function completedCall(trunkline: RunningTrunkline): Promise<string> {
  const { sid } = await trunkline.createCall(CALL)
  await expect.poll(async () => (await trunkline.fetchCall(sid)).status, POLL).toBe('completed')
  return sid
}

it('a server starts on a dump that was restored, and its calls, numbers and ids go on', async () => {
  using folder = tempFolder()
  const dataDir = join(folder.path, 'data')
  const settings = {
    DATA_DIR: dataDir,
    FIRST_ACCOUNT_SID: `AC${randomBytes(16).toString('hex')}`,
    FIRST_ACCOUNT_TOKEN: randomBytes(16).toString('hex'),
  }
  const url = await testDatabase(folder.path)
  const dump = join(folder.path, 'calls.dump')
  let sid: string
  let before: unknown
  {
    await using trunkline = await startTrunkline({ ...settings, DATABASE_URL: url })
    await trunkline.assignNumber('+15551112222', { voiceUrl: 'http://127.0.0.1/voice' })
    sid = await completedCall(trunkline)
    before = (await trunkline.api('GET', '/IncomingPhoneNumbers.json')).body
    // The server runs: pg_dump reads one moment of it.
    run('pg_dump', ['--format=custom', `--file=${dump}`, url])
    await completedCall(trunkline)
  }
  const restored = await emptyBeside(url)
  run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${restored}`, dump])

  await using trunkline = await startTrunkline({ ...settings, DATABASE_URL: restored })
  expect((await trunkline.api('GET', '/Calls.json')).body).toMatchObject({
    total: 1,
    calls: [{ sid, status: 'completed' }],
  })
  expect((await trunkline.api('GET', '/IncomingPhoneNumbers.json')).body).toEqual(before)
  await completedCall(trunkline)
  expect((await trunkline.api('GET', '/Calls.json')).body).toMatchObject({ total: 2 })
})
