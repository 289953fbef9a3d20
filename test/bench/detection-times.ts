/** Calls under machine detection at once: what they cost, and whether the media are late of them. */

import { pause } from '../../src/platform/async/sleep.js'
import {
  type BenchServer,
  describeTick,
  request,
  type ServerLoad,
  watchLoad,
} from './bench-server.js'
import { type Figure, percent } from './figure.js'

export interface DetectionPlan {
  readonly calls: number
  readonly callsPerSecond: number
  readonly holdSeconds: number
}

/** The lab's phone that sends back what it hears. */
const ECHO = '+15005550003'
const FROM = '+15551230106'
const CONNECT_LIMIT_MS = 15_000
const IDLE_LIMIT_MS = 15_000
const POLL_MS = 100

interface Held extends ServerLoad {
  readonly connected: number
  readonly detecting: number
}

/**
 * Measures calls to phones that never stop talking, so that each is under detection all the while;
 * beside them the same calls without detection.
 */
export async function measureDetections(
  server: BenchServer,
  greetingUrl: string,
  plan: DetectionPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const without = await hold(server, { Url: greetingUrl }, plan)
  say(`without detection: ${describe(without)}`)
  const detection = { MachineDetection: 'DetectMessageEnd', MachineDetectionTimeout: '60' }
  const held = await hold(server, { Url: greetingUrl, AsyncAmd: 'true', ...detection }, plan)
  const text = `${held.detecting} of ${plan.calls} calls under detection to the end; ${describe(held)}`
  say(text)
  const isWhole = without.connected === plan.calls && held.detecting === plan.calls
  const invalid = isWhole ? undefined : `not all ${plan.calls} calls were there to the end`
  return [
    {
      name: `tick late, ${plan.calls} calls under detection, p95`,
      value: held.tickMs.p95,
      unit: 'ms',
      target: { atMost: 5 },
      detail: `${text}; without detection ${describe(without)}`,
      invalid,
    },
    {
      name: `processor for one of ${plan.calls} detections`,
      value: (100 * (held.cores.server - without.cores.server)) / plan.calls,
      unit: '% of a core',
      target: { atMost: 1 },
      detail: 'the server, less what the same calls use without detection',
      invalid,
    },
  ]
}

async function hold(
  server: BenchServer,
  form: Readonly<Record<string, string>>,
  { calls, callsPerSecond, holdSeconds }: DetectionPlan,
): Promise<Held> {
  const startedAt = performance.now()
  const made: Promise<string>[] = []
  for (let index = 0; index < calls; index += 1) {
    const dueAt = startedAt + (index * 1_000) / callsPerSecond
    await pause(Math.max(0, dueAt - performance.now()))
    made.push(createCall(server, form))
  }
  const sids = await Promise.all(made)
  const connected = await untilAll(calls, () => inProgress(server))
  const watched = await watchLoad(server)
  await pause(1_000 * holdSeconds)
  const load = await watched.read()
  const detecting = (await inProgress(server)).filter((one) => one.answered_by === null).length
  await Promise.all(
    sids.map((sid) => request(server, `/Calls/${sid}.json`, { Status: 'completed' })),
  )
  await server.untilIdle(IDLE_LIMIT_MS)
  return { connected, detecting, ...load }
}

function describe({ connected, tickMs, cores }: Held): string {
  return `${connected} connected; ${describeTick(tickMs)}; server ${percent(cores.server)}, lab ${percent(cores.media)} of a core`
}

interface ShownCall {
  readonly sid: string
  readonly answered_by: string | null
}

async function createCall(server: BenchServer, form: Readonly<Record<string, string>>) {
  const call = await request<ShownCall>(server, '/Calls.json', { To: ECHO, From: FROM, ...form })
  return call.sid
}

async function inProgress(server: BenchServer): Promise<readonly ShownCall[]> {
  const page = '/Calls.json?Status=in-progress&PageSize=1000'
  const { calls } = await request<{ readonly calls: readonly ShownCall[] }>(server, page)
  return calls
}

/** Waits for so many; returns the number that there are at last. */
async function untilAll(count: number, read: () => Promise<readonly unknown[]>): Promise<number> {
  const end = performance.now() + CONNECT_LIMIT_MS
  for (;;) {
    const { length } = await read()
    if (length >= count || performance.now() > end) return length
    await pause(POLL_MS)
  }
}
