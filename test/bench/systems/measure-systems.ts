/** Runs one scenario, INVITE → webhook → Play → a second → BYE, on several systems in turn. */

import { cpuSecondsOf } from '../../support/process/process-cpu.js'
import type { Figure } from '../figure.js'
import { generatorProblem } from '../figure.js'
import { percentilesOf } from '../percentiles.js'
import { runSipp, type SippResult } from '../sipp.js'
import type { System } from './system.js'

export interface SystemsPlan {
  /** The rates to try in calls per second, rising. A system in which calls fail gets no higher one. */
  readonly steps: readonly number[]
  readonly seconds: number
  /** The rate whose times and processor use are shown. */
  readonly shown: number
}

/** What was measured of one system. */
export interface MeasuredSystem {
  readonly name: string
  /** The highest rate in calls per second that it carried. */
  readonly carried: number | undefined
  readonly figures: readonly Figure[]
}

interface Step extends SippResult {
  readonly rate: number
  /** The processor seconds of each process for a hundred calls. */
  readonly seconds: Readonly<Record<string, number>>
}

/** The slowest p95 of INVITE → 200 at which a rate counts as carried. */
const MAX_P95_MS = 200

/** Measures each rate on every system before the next rate, so that a change of the machine hits all. */
export async function measureSystems(
  systems: readonly System[],
  folder: string,
  plan: SystemsPlan,
  say: (text: string) => void,
): Promise<readonly MeasuredSystem[]> {
  const steps = new Map<System, Step[]>(systems.map((system) => [system, []]))
  for (const system of systems) await runStep(system, folder, plan.shown, 2) // Warms; not counted.
  for (const rate of plan.steps)
    for (const [system, done] of steps) {
      if (done.some(({ failed }) => failed > 0)) continue
      const step = await runStep(system, folder, rate, plan.seconds)
      done.push(step)
      say(`${system.name} ${describe(step)}`)
    }
  return [...steps].map(([system, done]) => ({
    name: system.name,
    carried: bestOf(done)?.rate,
    figures: figuresOf(system, done, plan),
  }))
}

/** The last step that the system carried. */
function bestOf(steps: readonly Step[]): Step | undefined {
  return steps.filter((step) => step.failed === 0 && p95Of(step) <= MAX_P95_MS).at(-1)
}

function p95Of({ answeredMs }: SippResult): number {
  return percentilesOf(answeredMs).p95
}

async function runStep(
  system: System,
  folder: string,
  rate: number,
  seconds: number,
): Promise<Step> {
  const before = usedBy(system)
  const result = await callSystem(system, folder, rate, seconds)
  const hundreds = result.placed / 100
  const used = Object.entries(usedBy(system)).map(
    ([name, after]) => [name, (after - (before[name] ?? 0)) / hundreds] as const,
  )
  return { ...result, rate, seconds: Object.fromEntries(used) }
}

/** Places calls at an even rate; resolves when no call is left. */
export async function callSystem(
  system: System,
  folder: string,
  callsPerSecond: number,
  seconds: number,
): Promise<SippResult> {
  const result = await runSipp({
    target: system.target,
    service: system.service,
    scenario: 'uac-hangs-up',
    keys: { socket: system.socket ?? 'none' },
    callsPerSecond,
    seconds,
    folder,
  })
  await system.untilIdle()
  return result
}

function usedBy({ pids }: System): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, cpuSecondsOf(pid) ?? Number.NaN]),
  )
}

function figuresOf(
  { name }: System,
  steps: readonly Step[],
  { shown }: SystemsPlan,
): readonly Figure[] {
  const best = bestOf(steps)
  const step = steps.find(({ rate }) => rate === shown)
  const invalid = generatorProblem('SIPp', Math.max(...steps.map(({ cores }) => cores)))
  const detail = steps.map(describe).join('\n  ')
  const total = step && Object.values(step.seconds).reduce((sum, each) => sum + each, 0)
  return [
    {
      name: `${name}: calls per second, none failed, p95 ≤ ${MAX_P95_MS} ms`,
      value: best?.rate,
      unit: '/s',
      detail,
      invalid,
    },
    {
      name: `${name}: INVITE → 200 at ${shown}/s, p95`,
      value: step && p95Of(step),
      unit: 'ms',
      detail: step === undefined ? '' : describe(step),
      invalid,
    },
    {
      name: `${name}: processor for 100 calls at ${shown}/s`,
      value: total,
      unit: 's',
      detail: step === undefined ? '' : describeSeconds(step),
      invalid,
    },
  ]
}

function describe(step: Step): string {
  const { p50, p95 } = percentilesOf(step.answeredMs)
  const { rate, failed, placed, retransmissions } = step
  return `${rate}/s: ${failed} of ${placed} failed, ${retransmissions} retransmissions, INVITE→200 p50 ${p50.toFixed(0)} p95 ${p95.toFixed(0)} ms; processor for 100 calls: ${describeSeconds(step)}`
}

function describeSeconds({ seconds }: Step): string {
  return Object.entries(seconds)
    .map(([name, each]) => `${name} ${each.toFixed(2)} s`)
    .join(', ')
}
