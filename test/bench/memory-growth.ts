import { pause } from '../../src/platform/async/sleep.js'
import { residentBytesOf } from '../support/process/process-cpu.js'
import { type BenchServer, startBenchServer } from './bench-server.js'
import type { Figure } from './figure.js'
import { runSipp } from './sipp.js'

export interface MemoryPlan {
  readonly callsPerSecond: number
  /**
   * The numbers of calls after which the memory is read, rising. The figure is the last one's over
   * that of `comparedWith`.
   */
  readonly steps: readonly number[]
  readonly comparedWith: number
  /** The rest before each reading. */
  readonly restMs: number
}

interface Memory {
  readonly server: number
  readonly lab: number
}

interface Reading {
  readonly calls: number
  readonly failed: number
  /** When the last call was over, in bytes. */
  readonly after: Memory
  /** After the rest, in bytes. */
  readonly rested: Memory
}

const NUMBER = '+15551230111'
const IDLE_LIMIT_MS = 30_000
const MB = 1024 * 1024
/** The growth that the design allows between the two readings. */
const MAX_GROWTH = 1.1

/**
 * Measures the resident memory of a server and its lab after many whole calls, as in
 * `measureCallRate`. Both are new, and nothing is live when they are asked. A process collects its
 * last garbage, and gives back what it needed for the load, only when it has rested for a while: the
 * figures are those after a rest.
 */
export async function measureMemory(
  folder: string,
  voiceUrl: string,
  plan: MemoryPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  await using server = await startBenchServer(folder)
  await server.assignNumber(NUMBER, voiceUrl)
  const readings: Reading[] = []
  for (const calls of plan.steps) {
    const before = readings.at(-1)
    const reading = await readAfter(server, folder, calls, before, plan)
    readings.push(reading)
    say(describe(reading))
  }
  const last = readings.at(-1)
  const first = readings.find(({ calls }) => calls === plan.comparedWith)
  const figure = (process: 'server' | 'lab'): Figure => ({
    name: `memory of the ${process} at rest after ${last?.calls ?? 0} calls over that after ${plan.comparedWith}`,
    value: first && last && last.rested[process] / first.rested[process],
    unit: '',
    target: { atMost: MAX_GROWTH },
    limit: '1',
    detail: readings.map(describe).join('\n  '),
    invalid: last === undefined || last.failed === 0 ? undefined : `${last.failed} calls failed`,
  })
  return [figure('server'), figure('lab')]
}

async function readAfter(
  server: BenchServer,
  folder: string,
  calls: number,
  before: Reading | undefined,
  { callsPerSecond, restMs }: MemoryPlan,
): Promise<Reading> {
  const { failed } = await runSipp({
    target: `127.0.0.1:${server.sipPort}`,
    service: NUMBER,
    callsPerSecond,
    seconds: (calls - (before?.calls ?? 0)) / callsPerSecond,
    folder,
  })
  await server.untilIdle(IDLE_LIMIT_MS)
  const after = memoryOf(server)
  await pause(restMs)
  return { calls, failed: failed + (before?.failed ?? 0), after, rested: memoryOf(server) }
}

function memoryOf({ pids }: BenchServer): Memory {
  const bytesOf = (pid: number) => residentBytesOf(pid) ?? Number.NaN
  return { server: bytesOf(pids.server), lab: bytesOf(pids.media) }
}

function describe({ calls, failed, after, rested }: Reading): string {
  const mb = ({ server, lab }: Memory) =>
    `server ${(server / MB).toFixed(0)} MB, lab ${(lab / MB).toFixed(0)} MB`
  return `${calls} calls, ${failed} failed: ${mb(after)}; at rest ${mb(rested)}`
}
