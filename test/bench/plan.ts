import type { CallRatePlan } from './calls-per-second.js'
import type { ConcurrencyPlan } from './concurrent-calls.js'
import type { CoveragePlan } from './coverage-times.js'
import type { DetectionPlan } from './detection-times.js'
import type { EnginePlan } from './engines/measure-engines.js'
import type { HttpPlan } from './http-rates.js'
import type { LatencyPlan } from './latencies.js'
import type { ListPlan } from './list-times.js'
import type { MemoryPlan } from './memory-growth.js'
import type { RecordingPlan } from './recording-times.js'
import type { RegistrationPlan } from './registrations/measure-registrations.js'
import type { StreamPlan } from './stream-times.js'
import type { SystemsPlan } from './systems/measure-systems.js'

/**
 * The parts in the order in which they run: the figures that a busy machine spoils most come first.
 */
export const PARTS = [
  'latency',
  'streams',
  'recordings',
  'detection',
  'concurrency',
  'calls',
  'http',
  'engines',
  'lists',
  'registrations',
  'coverage',
  'memory',
  'systems',
] as const
/** The parts that run only when they are named: they take minutes. */
export const NAMED_PARTS: readonly Part[] = ['coverage', 'memory', 'systems']
export type Part = (typeof PARTS)[number]

export interface Plan {
  readonly latency: LatencyPlan
  readonly streams: StreamPlan
  readonly recordings: RecordingPlan
  readonly detection: DetectionPlan
  readonly concurrency: ConcurrencyPlan
  readonly calls: Omit<CallRatePlan, 'folder'>
  readonly http: HttpPlan
  readonly engines: EnginePlan
  readonly lists: ListPlan
  readonly registrations: RegistrationPlan
  readonly coverage: CoveragePlan
  readonly memory: MemoryPlan
  readonly systems: SystemsPlan
  readonly commitMs: number
}

/** The size of each plan: `full` stays below eight minutes, `quick` below two. */
export const PLANS: Readonly<Record<'full' | 'quick', Plan>> = {
  full: {
    latency: { calls: 60, lanes: 2 },
    streams: { steps: [1, 20, 100], callsPerSecond: 25, holdSeconds: 8, clears: 40 },
    recordings: { calls: 100, callsPerSecond: 25, holdSeconds: 15 },
    detection: { calls: 100, callsPerSecond: 25, holdSeconds: 10 },
    concurrency: { steps: [50, 100, 250], callsPerSecond: 25, holdSeconds: 12 },
    calls: {
      steps: [10, 25, 50, 75, 100, 150],
      seconds: 8,
      limitSteps: [500, 1_000, 2_000],
      limitSeconds: 3,
    },
    http: { connections: 64, seconds: 4 },
    engines: { connections: 64, seconds: 4, calls: 100, lanes: 2 },
    lists: { few: 1_000, many: 1_000_000, seconds: 2 },
    registrations: { phones: 2_000, seconds: 30, calls: 100 },
    coverage: { numbers: 5_000_000, requests: 40 },
    memory: {
      callsPerSecond: 75,
      steps: [1_000, 4_000, 10_000, 20_000, 30_000, 40_000],
      comparedWith: 10_000,
      restMs: 60_000,
    },
    systems: { steps: [10, 25, 50, 75, 100], seconds: 8, shown: 25 },
    commitMs: 2_000,
  },
  quick: {
    latency: { calls: 12, lanes: 2 },
    streams: { steps: [1, 20], callsPerSecond: 25, holdSeconds: 3, clears: 8 },
    recordings: { calls: 20, callsPerSecond: 25, holdSeconds: 4 },
    detection: { calls: 20, callsPerSecond: 25, holdSeconds: 3 },
    concurrency: { steps: [50, 100], callsPerSecond: 40, holdSeconds: 4 },
    calls: { steps: [25, 50, 100], seconds: 3, limitSteps: [1_000], limitSeconds: 2 },
    http: { connections: 64, seconds: 1.5 },
    engines: { connections: 64, seconds: 1.5, calls: 24, lanes: 2 },
    lists: { few: 1_000, many: 100_000, seconds: 0.5 },
    registrations: { phones: 500, seconds: 6, calls: 30 },
    coverage: { numbers: 200_000, requests: 20 },
    memory: { callsPerSecond: 50, steps: [500, 1_000, 2_000], comparedWith: 500, restMs: 5_000 },
    systems: { steps: [25, 50], seconds: 4, shown: 25 },
    commitMs: 1_000,
  },
}
