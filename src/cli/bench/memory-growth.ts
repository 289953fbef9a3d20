import { type BenchServer, startBenchServer } from './bench-server.js'
import type { Figure } from './figure.js'
import { residentBytesOf } from './process-cpu.js'
import { runSipp } from './sipp.js'

export interface MemoryPlan {
  readonly callsPerSecond: number
  /**
   * The numbers of calls after which the memory is read, rising. The figure is the last one's over
   * that of `comparedWith`.
   */
  readonly steps: readonly number[]
  readonly comparedWith: number
}

interface Reading {
  readonly calls: number
  readonly failed: number
  readonly serverBytes: number
  readonly labBytes: number
}

const NUMBER = '+15551230111'
const IDLE_LIMIT_MS = 30_000
const MB = 1024 * 1024
/** The growth that the design allows between the two readings. */
const MAX_GROWTH = 1.1

/**
 * Measures the resident memory of a server and its lab after many whole calls, as in
 * `measureCallRate`. Both are new, and nothing is live when they are asked.
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
    const reading = await readAfter(server, folder, calls, before, plan.callsPerSecond)
    readings.push(reading)
    say(describe(reading))
  }
  const last = readings.at(-1)
  const first = readings.find(({ calls }) => calls === plan.comparedWith)
  const growth = (of: 'serverBytes' | 'labBytes') =>
    first === undefined || last === undefined ? undefined : last[of] / first[of]
  const figure = (process: string, of: 'serverBytes' | 'labBytes'): Figure => ({
    name: `memory of the ${process} after ${last?.calls ?? 0} calls over that after ${plan.comparedWith}`,
    value: growth(of),
    unit: '',
    target: { atMost: MAX_GROWTH },
    limit: '1',
    detail: readings.map(describe).join('\n  '),
    ...(last === undefined || last.failed === 0 ? {} : { invalid: `${last.failed} calls failed` }),
  })
  return [figure('server', 'serverBytes'), figure('lab', 'labBytes')]
}

async function readAfter(
  server: BenchServer,
  folder: string,
  calls: number,
  before: Reading | undefined,
  callsPerSecond: number,
): Promise<Reading> {
  const { failed } = await runSipp({
    target: `127.0.0.1:${server.sipPort}`,
    service: NUMBER,
    callsPerSecond,
    seconds: (calls - (before?.calls ?? 0)) / callsPerSecond,
    folder,
  })
  await server.untilIdle(IDLE_LIMIT_MS)
  return {
    calls,
    failed: failed + (before?.failed ?? 0),
    serverBytes: residentBytesOf(server.pids.server) ?? Number.NaN,
    labBytes: residentBytesOf(server.pids.lab) ?? Number.NaN,
  }
}

function describe({ calls, failed, serverBytes, labBytes }: Reading): string {
  const mb = (bytes: number) => `${(bytes / MB).toFixed(0)} MB`
  return `${calls} calls, ${failed} failed: server ${mb(serverBytes)}, lab ${mb(labBytes)}`
}
