import { expect, it } from 'vitest'
import { openDatabase } from '../../../../src/platform/database/open-database.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { DrainedServers } from '../../../../src/voice/telephony/drained-servers.js'
import type { ServerView } from '../../../../src/voice/telephony/server-view.js'
import { MIGRATIONS } from '../../../../src/wiring/migrations.js'
import { recordingLog } from '../../../support/process/recording-log.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { testDatabase } from '../../../support/process/test-database.js'

const server = (name: string, isDrained: boolean): ServerView => ({
  name,
  kind: 'freeswitch',
  health: 'up',
  fault: undefined,
  isDrained,
  weight: 1,
  ownChannels: 0,
  channels: 0,
  maxSessions: undefined,
  idlePercent: undefined,
})

/** Nodes of one database, each with two servers. */
async function nodes() {
  const disposer = new Disposer()
  const folder = disposer.use(tempFolder())
  const place = await testDatabase(folder.path)
  const db = disposer.use(await openDatabase(place, MIGRATIONS, 'a'))
  const open = async () => {
    let drained: ReadonlySet<string> = new Set()
    const telephony = {
      drain: (names: ReadonlySet<string>) => {
        drained = names
      },
      servers: () => ['m1:8021', 'm2:8021'].map((name) => server(name, drained.has(name))),
    }
    const { log } = recordingLog()
    const clock = { now: () => 1_000 }
    const servers = disposer.use(
      await DrainedServers.open({ db, telephony, clock, log, lookEveryMs: 20 }),
    )
    return { servers, drained: () => [...drained] }
  }
  return { open, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}

it('drains a server, tells its state, and takes it into use again', async () => {
  await using t = await nodes()
  const { servers, drained } = await t.open()
  expect(await servers.set('m2:8021', true)).toMatchObject({ name: 'm2:8021', isDrained: true })
  expect(await servers.set('m2:8021', true)).toMatchObject({ isDrained: true })
  expect(drained()).toEqual(['m2:8021'])
  expect(await servers.set('m2:8021', false)).toMatchObject({ isDrained: false })
  expect(await servers.set('m2:8021', false)).toMatchObject({ isDrained: false })
  expect(drained()).toEqual([])
})

it('knows no other server', async () => {
  await using t = await nodes()
  const { servers } = await t.open()
  expect(await servers.set('m3:8021', true)).toBeUndefined()
})

it('is obeyed by every node, also by one that starts later', async () => {
  await using t = await nodes()
  const one = await t.open()
  const other = await t.open()
  await one.servers.set('m1:8021', true)
  await expect.poll(other.drained).toEqual(['m1:8021'])
  const late = await t.open()
  expect(late.drained()).toEqual(['m1:8021'])
  await other.servers.set('m1:8021', false)
  await expect.poll(one.drained).toEqual([])
})
