import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { textOf } from '../support/mail/smtp-sink.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const PRELOAD = new URL('../support/time/set-clock.mjs', import.meta.url).href
const POLL = { timeout: 45_000, interval: 100 }
const HOUR_MS = 3_600_000

/** Noon in the middle of a month from now on: no month turns while the test runs. */
const monthFromNow = (months: number): number => {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15, 12)
}

/** The first process, a month from now. */
const firstMonth = 1

/** Starts a server whose clock is so many months from now; `former`: on the data of that one. */
async function startAt(months: number, clockFile: string, former?: RunningTrunkline) {
  writeFileSync(clockFile, String((monthFromNow(months) - Date.now()) / HOUR_MS))
  const clock = { NODE_OPTIONS: `--import ${PRELOAD}`, CLOCK_FILE: clockFile }
  if (former === undefined) return await startTrunkline(clock)
  return await startTrunkline({
    ...clock,
    DATA_DIR: join(former.folder, 'data'),
    FIRST_ACCOUNT_SID: former.account.sid,
    FIRST_ACCOUNT_TOKEN: former.account.secret,
  })
}

async function kill({ server }: RunningTrunkline): Promise<void> {
  const ended = once(server.process, 'exit')
  server.process.kill('SIGKILL')
  await ended
}

const pathOf = (t: RunningTrunkline) => `/accounts/${t.account.sid}`

async function adjust(t: RunningTrunkline, ...amounts: readonly number[]): Promise<void> {
  for (const amount of amounts) {
    const answer = await t.adminApi('POST', `${pathOf(t)}/adjustments`, { amount })
    expect(answer.status).toBe(201)
  }
}

/** Asks for a notification below five dollars. */
async function wantNotifications(t: RunningTrunkline): Promise<void> {
  const email = await t.adminApi('PATCH', pathOf(t), { email: 'owner@acme.example' })
  expect(email.status).toBe(200)
  const answer = await fetch(`${t.http}/v2.2/account`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${t.account.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ notify: true, notifyThreshold: 5 }),
  })
  expect(answer.status).toBe(200)
}

/** The balances that the mails in the folder tell of, the oldest mail first. */
function balancesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'))
  const texts = names.sort().map((name) => textOf(readFileSync(join(folder, name), 'utf8')))
  return texts.map((text) => / is (\S+) dollars/.exec(text)?.[1] ?? text)
}

interface ShownEntry {
  readonly amount: number
  readonly description: string
}

/** A second account with a monthly charge; resolves with its path on the private listener. */
async function chargeMonthly(t: RunningTrunkline): Promise<string> {
  const made = await t.adminApi('POST', '/accounts', { friendlyName: 'charged' })
  const path = `/accounts/${String(made.body['accountSid'])}`
  const charge = { amount: 31, description: 'Number' }
  expect((await t.adminApi('POST', `${path}/recurring-charges`, charge)).status).toBe(201)
  return path
}

async function entriesOf(t: RunningTrunkline, path: string): Promise<readonly ShownEntry[]> {
  const { body } = await t.adminApi('GET', `${path}/ledger?limit=100`)
  return body['entries'] as readonly ShownEntry[]
}

it('a low balance is mailed once for each crossing, and a month charged once in a year, though the server is killed in between', async () => {
  using temporary = tempFolder()
  const clockFile = join(temporary.path, 'hours')
  await using first = await startAt(firstMonth, clockFile)
  const folder = join(first.folder, 'data', 'mail')
  // No mail can be kept for now, so that the process dies with the first one on its way.
  writeFileSync(folder, '')
  await wantNotifications(first)
  const charged = await chargeMonthly(first)
  await adjust(first, 10, -6, -0.5)
  await kill(first)
  rmSync(folder)

  await using second = await startAt(firstMonth + 7, clockFile, first)
  await expect.poll(() => balancesIn(folder), POLL).toEqual(['4.0000'])
  await expect.poll(async () => (await entriesOf(second, charged)).length, POLL).toBeGreaterThan(1)
  await adjust(second, -0.5, 10, -9)
  await kill(second)

  await using third = await startAt(firstMonth + 12, clockFile, first)
  await expect.poll(() => balancesIn(folder), POLL).toEqual(['4.0000', '4.0000'])
  await adjust(third, -1, 10, -11)
  // The mails of an account go in order: none was between these.
  await expect.poll(() => balancesIn(folder), POLL).toEqual(['4.0000', '4.0000', '2.0000'])

  const months = Array.from({ length: 13 }, (_, month) =>
    new Date(monthFromNow(firstMonth + month)).toISOString().slice(0, 7),
  )
  const wanted = months.map((month) => `Number, ${month}`).reverse()
  const shown = async () => (await entriesOf(third, charged)).map(({ description }) => description)
  await expect.poll(shown, POLL).toEqual(wanted)
  const entries = await entriesOf(third, charged)
  expect(entries.slice(0, -1).map(({ amount }) => amount)).toEqual(wanted.slice(1).map(() => -31))
  const total = entries.reduce((sum, { amount }) => sum + amount, 0)
  const { body } = await third.adminApi('GET', `${charged}/balance`)
  expect(body['balance']).toBeCloseTo(total, 4)
  expect((await third.adminApi('GET', '/ledger/check')).body).toEqual({ faults: [] })
}, 180_000)
