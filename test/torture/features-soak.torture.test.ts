import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectedMemory, reportingMemory } from '../support/process/collected-memory.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn, openDescriptors, pidsOf, residentMb } from '../support/process/process-memory.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { waitUntil } from '../support/time/wait-until.js'
import { openSoakCalls, type SoakCalls } from '../support/voice/soak-calls.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const MINUTES = Number(process.env['TORTURE_MINUTES'] ?? 3)
const MINUTE_MS = 60_000
/** The calls that may be under way; half as many are. */
const CAPACITY = 40
/** Two calls meet in a conference, a queue and a Dial. */
const AT_ONCE = Math.floor(CAPACITY / 2 / 1.5)
/** Caches have found their size by then. */
const WARM_SHARE = 1 / 3
const MAX_KB_A_CALL = 4
/** The size by which what is held swings: sounds that are cached, and buffers that are used again. */
const SWING_MB = 4
/**
 * Resident memory is the runtime's choice: allocators find their size for some ten minutes, and then
 * swing. From this length on it is judged as well.
 */
const LONG_MINUTES = 30
const RESIDENT_SWING_MB = 12
const BASELINE_MS = 60_000

const folder = tempFolder()
let trunkline: RunningTrunkline
let app: VoiceApp
let calls: SoakCalls

beforeAll(async () => {
  trunkline = await startTrunkline({ ...reportingMemory(folder.path), MAX_CALLS: String(CAPACITY) })
  app = await startVoiceApp()
  calls = await openSoakCalls(trunkline, app)
})
afterAll(async () => {
  await calls[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Places calls of all features in turn, so many at once, until the time; returns the failures. */
async function keepCalling(until: number): Promise<string[]> {
  const features = Object.entries(calls.features)
  const failures: string[] = []
  let turn = 0
  const worker = async () => {
    while (performance.now() < until) {
      const [name, call] = features[turn++ % features.length] ?? []
      await call?.().catch((error: unknown) => failures.push(`${name ?? ''}: ${String(error)}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return failures
}

/** What both processes hold open or armed while nothing is under way. */
async function held() {
  const { server, lab } = pidsOf(trunkline)
  const metrics = await trunkline.metrics()
  return {
    'server descriptors': openDescriptors(server),
    'lab descriptors': openDescriptors(lab),
    'lab timers': metrics['lab_timers'] ?? 0,
    'lab transactions': metrics['lab_transactions'] ?? 0,
    'server resources': metrics['active_resources'] ?? 0,
    'callbacks in flight': metrics['callbacks_in_flight'] ?? 0,
  }
}

async function memory() {
  const { server, lab } = pidsOf(trunkline)
  const of = async (pid: number) => {
    const { heap, outside, loop } = await collectedMemory(folder.path, pid)
    return { held: heap + outside, resident: residentMb(pid), loop }
  }
  return { server: await of(server), lab: await of(lab) }
}

it(
  `all features for ${MINUTES} minutes at half capacity: none fails, nothing grows [F49]`,
  async ({ task }) => {
    const startedAt = performance.now()
    const failures = await keepCalling(startedAt + MINUTES * MINUTE_MS * WARM_SHARE)
    await expectNothingLeft(trunkline)
    // Transactions linger for half a minute after their calls.
    const idle = { ...(await held()), 'lab timers': 0, 'lab transactions': 0 }
    const before = await memory()
    const placedBefore = calls.placed
    failures.push(...(await keepCalling(startedAt + MINUTES * MINUTE_MS)))
    const measured = calls.placed - placedBefore
    await expectNothingLeft(trunkline)
    const after = await memory()
    const isIdle = async () =>
      Object.entries(await held()).every(
        ([name, count]) => count <= idle[name as keyof typeof idle],
      )
    await waitUntil('what is open is back to the baseline', isIdle, BASELINE_MS, () => idle).catch(
      async (cause: unknown) => {
        throw new Error(`still open: ${JSON.stringify({ idle, now: await held() })}`, { cause })
      },
    )
    const mb = (value: number) => value.toFixed(1)
    reportRow(task, 'F49', {
      minutes: MINUTES,
      calls: calls.placed,
      failed: failures.length,
      'server held MB': `${mb(before.server.held)} → ${mb(after.server.held)}`,
      'lab held MB': `${mb(before.lab.held)} → ${mb(after.lab.held)}`,
      'server resident MB': `${mb(before.server.resident)} → ${mb(after.server.resident)}`,
      'lab resident MB': `${mb(before.lab.resident)} → ${mb(after.lab.resident)}`,
      'server loop late p99, max ms': `${mb(after.server.loop.p99)}, ${mb(after.server.loop.max)}`,
      'lab loop late p99, max ms': `${mb(after.lab.loop.p99)}, ${mb(after.lab.loop.max)}`,
      ...idle,
    })
    expect(failures).toEqual([])
    for (const part of ['server', 'lab'] as const) {
      const allowedMb = (measured * MAX_KB_A_CALL) / 1024
      expect(after[part].held - before[part].held, part).toBeLessThan(allowedMb + SWING_MB)
      if (MINUTES < LONG_MINUTES) continue
      const grownMb = after[part].resident - before[part].resident
      expect(grownMb, part).toBeLessThan(allowedMb + RESIDENT_SWING_MB)
    }
    expect(errorsIn(trunkline)).toEqual([])
  },
  (MINUTES + 6) * MINUTE_MS,
)
