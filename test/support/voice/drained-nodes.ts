import { systemClock } from '../../../src/platform/clock.js'
import { openDatabase } from '../../../src/platform/database/open-database.js'
import { Disposer } from '../../../src/platform/disposer.js'
import { DrainedServers } from '../../../src/voice/telephony/drained-servers.js'
import type { ServerView } from '../../../src/voice/telephony/port.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'
import { recordingLog } from '../process/recording-log.js'
import { tempFolder } from '../process/temp-folder.js'
import { testDatabase } from '../process/test-database.js'

const server = (name: string, isDrained: boolean): ServerView => ({
  name,
  kind: 'freeswitch',
  health: 'up',
  fault: undefined,
  faultMs: undefined,
  isDrained,
  weight: 1,
  ownChannels: 0,
  channels: 0,
  maxSessions: undefined,
  idlePercent: undefined,
})

/** Nodes of one database, with two servers each. */
export async function drainedNodes() {
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
    const clock = { now: () => 1_000, monotonic: () => systemClock.monotonic() }
    const servers = disposer.use(
      await DrainedServers.open({ db, telephony, clock, log, lookEveryMs: 20 }),
    )
    return { servers, drained: () => [...drained] }
  }
  return { open, [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose]() }
}
