import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'
import {
  downloadedArchive,
  fillCalls,
  listedCalls,
  YESTERDAY,
} from '../support/voice/exported-calls.js'

const CALLS = 40_000
/** More than a slow machine needs for the archive. */
const LIMIT_MS = 180_000
const JOB = `/Exports/${YESTERDAY}/Job.json`

const buildingIn = ({ folder }: RunningTrunkline) => join(folder, 'data', 'exports-building')

/** The bytes that a build under way has written. */
function writtenBy(trunkline: RunningTrunkline): number {
  const folder = buildingIn(trunkline)
  if (!existsSync(folder)) return 0
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => sizeOf(join(entry.parentPath, entry.name)))
    .reduce((total, size) => total + size, 0)
}

/** The size of a file; 0 for one that the server has removed meanwhile. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

const builtIn = ({ server }: RunningTrunkline) =>
  server
    .log()
    .split('\n')
    .filter((line) => line.includes('built an export')).length

it(
  'an export whose builder is killed half way is built whole by the next one, once',
  async () => {
    await using killed = await startTrunkline()
    await fillCalls(killed, CALLS)
    await killed.api('POST', JOB, {})
    await waitUntil('the build has written something', () => writtenBy(killed) > 0, LIMIT_MS)
    const before = (await killed.api('GET', JOB)).body
    expect(before).toMatchObject({ status: 'building', size: null })
    const exited = once(killed.server.process, 'exit')
    killed.server.process.kill('SIGKILL')
    await exited
    expect(builtIn(killed)).toBe(0)
    // What the dead one has left is half an archive.
    expect(writtenBy(killed)).toBeGreaterThan(0)

    await using next = await startTrunkline({
      DATA_DIR: join(killed.folder, 'data'),
      FIRST_ACCOUNT_SID: killed.account.sid,
      FIRST_ACCOUNT_TOKEN: killed.account.secret,
    })
    let job: Readonly<Record<string, unknown>> = {}
    await waitUntil(
      'the archive is built',
      async () => {
        job = (await next.api('GET', JOB)).body
        return job['status'] === 'completed'
      },
      LIMIT_MS,
      () => job,
    )
    expect(job).toMatchObject({ progress: 100, records: CALLS })
    const archive = await downloadedArchive(next)
    expect(archive.bytes).toBe(job['size'])
    expect(archive.calls).toEqual(await listedCalls(next))
    expect(archive.calls.count).toBe(CALLS)
    const { exports } = (await next.api('GET', '/Exports.json')).body
    expect(exports).toHaveLength(1)
    expect(builtIn(next)).toBe(1)
    expect(readdirSync(buildingIn(killed))).toEqual([])
  },
  2 * LIMIT_MS,
)
