import { watchCores } from '../support/process/process-cpu.js'
import type { BenchServer } from './bench-server.js'
import { type Figure, generatorProblem, percent } from './figure.js'
import { percentilesOf } from './percentiles.js'
import { runSipp, type SippResult, startSippUas } from './sipp.js'

export interface CallRatePlan {
  /**
   * The rates to try in calls per second, rising. The first step in which a call fails is the last.
   */
  readonly steps: readonly number[]
  readonly seconds: number
  /** The rates to try against a SIPp that answers, which shows what the machine allows. */
  readonly limitSteps: readonly number[]
  readonly limitSeconds: number
  readonly folder: string
}

interface Step extends SippResult {
  readonly rate: number
  readonly serverCores: number
  readonly labCores: number
}

const DRAIN_LIMIT_MS = 15_000

/**
 * Measures the rate of whole calls: INVITE → webhook → answer → markup (a sound of 0.2 s) → our
 * BYE.
 */
export async function measureCallRate(
  server: BenchServer,
  number: string,
  plan: CallRatePlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const limit = await measureLimit(plan, say)
  const steps: Step[] = []
  for (const rate of plan.steps) {
    const step = await runStep(server, number, rate, plan)
    steps.push(step)
    say(describe(step))
    if (!(await server.untilIdle(DRAIN_LIMIT_MS))) say('  calls were left over')
    if (step.failed > 0) break
  }
  const best = steps.filter((step) => step.failed === 0).at(-1)
  const invalid = generatorProblem('SIPp', Math.max(...steps.map((step) => step.cores)))
  return [
    {
      name: 'calls per second, none failed',
      value: best?.rate,
      unit: '/s',
      target: { atLeast: 100 },
      limit: `${limit} /s SIPp to SIPp, measured`,
      detail: steps.map(describe).join('\n  '),
      invalid,
    },
  ]
}

async function runStep(
  server: BenchServer,
  service: string,
  rate: number,
  plan: CallRatePlan,
): Promise<Step> {
  const cpu = {
    server: watchCores([server.pids.server]),
    lab: watchCores([server.pids.media]),
  }
  const result = await runSipp({
    target: `127.0.0.1:${server.sipPort}`,
    service,
    callsPerSecond: rate,
    seconds: plan.seconds,
    folder: plan.folder,
  })
  return { ...result, rate, serverCores: cpu.server.cores(), labCores: cpu.lab.cores() }
}

function describe(step: Step): string {
  const { p50, p95 } = percentilesOf(step.answeredMs)
  return `${step.rate}/s: ${step.failed} of ${step.placed} failed, ${step.retransmissions} retransmissions, INVITE→200 p50 ${p50.toFixed(0)} p95 ${p95.toFixed(0)} ms; server ${percent(step.serverCores)}, lab ${percent(step.labCores)}, SIPp ${percent(step.cores)} of a core`
}

async function measureLimit(plan: CallRatePlan, say: (text: string) => void): Promise<number> {
  await using uas = await startSippUas()
  let best = 0
  for (const rate of plan.limitSteps) {
    const { failed, placed } = await runSipp({
      target: uas.target,
      service: 'limit',
      callsPerSecond: rate,
      seconds: plan.limitSeconds,
      folder: plan.folder,
    })
    say(`SIPp to SIPp ${rate}/s: ${failed} of ${placed} failed`)
    if (failed > 0) break
    best = rate
  }
  return best
}
