import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, type TestContext } from 'vitest'
import { databaseOn, freezeServer, killServer } from '../support/process/postgres-outage.js'
import { startPostgres } from '../support/process/postgres-server.js'
import { smallDisk } from '../support/process/small-disk.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import type { RowId } from '../support/rows/row-criteria.js'
import { reportRow } from '../support/rows/rows.js'
import { type RegisterAnswer, RegisterClient } from '../support/sip/register-client.js'
import { createSoftphoneDomain } from '../support/sip/softphone-domain.js'
import {
  expectEndedOnce,
  expectTalking,
  hangUp,
  longestGapMs,
  startTalkers,
} from '../support/voice/talkers.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const TALKERS = 30
const PHONES = 20
const DOMAIN = 'outage.example'
/** Longer than each outage: what was registered before it is called after it. */
const EXPIRES_S = 600
const CALL = { To: '+15005550011', From: '+15005550000', Markup: '<Response/>' }
/** The phones and a caller of the API try so often while the database is away. */
const TRY_EVERY_MS = 15_000
const BACK_LIMIT_MS = 15_000
const AWAY_LIMIT_MS = 60_000

interface Phone {
  readonly client: RegisterClient
  readonly user: string
}

interface Outage {
  readonly row: RowId
  readonly seconds: number
  readonly env: Readonly<Record<string, string>>
  begin(): void
  end(): void | Promise<void>
}

const register = ({ client, user }: Phone): Promise<RegisterAnswer> =>
  client.register({ domain: DOMAIN, user, expires: EXPIRES_S })

async function openPhones(trunkline: RunningTrunkline): Promise<readonly Phone[]> {
  const users = Array.from({ length: PHONES }, (_, at) => `phone${at}`)
  await createSoftphoneDomain(trunkline, users, { DomainName: DOMAIN })
  const phones: Phone[] = []
  for (const user of users) {
    const phone = { client: await RegisterClient.open(trunkline.sipPort), user }
    expect((await register(phone)).status).toBe(200)
    phones.push(phone)
  }
  return phones
}

const countsOf = (statuses: readonly number[]) =>
  [...new Set(statuses)].map(
    (status) => `${status} ×${statuses.filter((x) => x === status).length}`,
  )

async function survive({ task }: TestContext, outage: Outage): Promise<void> {
  await using app = await startVoiceApp()
  await using trunkline = await startTrunkline({ LOG_LEVEL: 'warn', ...outage.env })
  const phones = await openPhones(trunkline)
  const talkers = await startTalkers(trunkline, app, TALKERS)
  const leavers = talkers.slice(0, TALKERS / 2)
  const stayers = talkers.slice(TALKERS / 2)

  outage.begin()
  // A log that was made to be used again may take a few more writes.
  const isAway = async () => (await trunkline.api('POST', '/Calls.json', CALL)).status
  await expect.poll(isAway, { timeout: AWAY_LIMIT_MS, interval: 0 }).toBe(503)
  const endsAt = performance.now() + outage.seconds * 1_000
  const registrations: number[] = []
  const creations: number[] = []
  while (performance.now() < endsAt) {
    const tried = performance.now()
    const [created, ...registered] = await Promise.all([
      trunkline.api('POST', '/Calls.json', CALL),
      ...phones.map(register),
    ])
    creations.push(created.status)
    registrations.push(...registered.map(({ status }) => status))
    await expectTalking(stayers)
    for (const leaver of leavers.splice(0, 3)) await hangUp(leaver)
    const nextAt = Math.min(tried + TRY_EVERY_MS, endsAt)
    await sleep(Math.max(0, nextAt - performance.now()))
  }
  // Nothing is said to be stored that is not, and nobody is told that a password is wrong.
  expect(countsOf(creations)).toEqual([`503 ×${creations.length}`])
  expect(countsOf(registrations)).toEqual([`503 ×${registrations.length}`])

  await outage.end()
  const endedAt = performance.now()
  const isBack = async () => (await trunkline.api('POST', '/Calls.json', CALL)).status
  await expect.poll(isBack, { timeout: BACK_LIMIT_MS, interval: 50 }).toBe(201)
  const backMs = performance.now() - endedAt
  for (const phone of phones) expect((await register(phone)).status).toBe(200)
  await expectTalking(stayers)
  reportRow(task, outage.row, {
    'live calls and phones': `${TALKERS} and ${PHONES}`,
    'away s': outage.seconds,
    'REGISTERs refused meanwhile': registrations.length,
    'calls taken again after ms': Math.round(backMs),
    'longest silence of a call ms': Math.round(longestGapMs(stayers)),
  })
  for (const talker of [...leavers, ...stayers]) await hangUp(talker)
  await expectEndedOnce(trunkline, app, talkers)
  expect(trunkline.server.process.exitCode, 'the first process serves').toBeNull()
  for (const talker of talkers) talker[Symbol.dispose]()
  for (const { client } of phones) await client[Symbol.asyncDispose]()
}

it('a PostgreSQL server that freezes for two minutes ends no call [outage-frozen]', async (context) => {
  await using server = await startPostgres()
  let frozen: ReturnType<typeof freezeServer> | undefined
  await survive(context, {
    row: 'outage-frozen',
    seconds: 120,
    env: { DATABASE_URL: await databaseOn(server) },
    begin: () => {
      frozen = freezeServer(server)
    },
    end: () => frozen?.go(),
  })
})

it('a PostgreSQL server that is gone for two minutes ends no call [outage-gone]', async (context) => {
  await using server = await startPostgres()
  await survive(context, {
    row: 'outage-gone',
    seconds: 120,
    env: { DATABASE_URL: await databaseOn(server) },
    begin: () => {
      killServer(server)
    },
    end: () => server.start(),
  })
})

it('a disk that is full for three minutes ends no call [outage-disk]', async (context) => {
  const disk = smallDisk(64)
  if (!('path' in disk)) return context.skip(`no small disk: ${disk.reason}`)
  using _unmounted = disk
  await survive(context, {
    row: 'outage-disk',
    seconds: 180,
    env: { DATA_DIR: join(disk.path, 'data') },
    begin: () => {
      disk.fill()
    },
    end: () => {
      disk.free()
    },
  })
})
