import { udpOverflows, watchCores } from '../support/process/process-cpu.js'
import type { BenchServer } from './bench-server.js'
import type { BankCommand, BankReport } from './caller/phone-bank.js'
import { startChild } from './child.js'
import { type Figure, generatorProblem, percent } from './figure.js'

export interface ConcurrencyPlan {
  /** The numbers of calls at once, rising. The first step that loses something is the last. */
  readonly steps: readonly number[]
  readonly callsPerSecond: number
  readonly holdSeconds: number
}

interface Step {
  readonly calls: number
  readonly failed: number
  readonly problem: string | undefined
  readonly sentLost: number
  readonly heardLost: number
  readonly heardLate: number
  readonly overflows: number
  readonly tickMs: { readonly p50: number; readonly p95: number; readonly p99: number }
  readonly labCores: number
  readonly serverCores: number
  readonly bankCores: number
  readonly residentMb: number
}

/** The time in which a packet arrives that is on its way when sending stops. */
const SETTLE_MS = 200
const IDLE_LIMIT_MS = 10_000
const MAX_TICK_LATE_MS = 5

/**
 * Measures calls at once. Every call plays a file to its caller and receives the caller's packets,
 * 50 a second each way.
 */
export async function measureConcurrency(
  server: BenchServer,
  number: string,
  plan: ConcurrencyPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const steps: Step[] = []
  for (const calls of plan.steps) {
    const step = await hold(server, number, calls, plan)
    steps.push(step)
    say(describe(step))
    await server.untilIdle(IDLE_LIMIT_MS)
    if (!isClean(step)) break
  }
  const best = steps.filter((step) => isClean(step) && step.tickMs.p95 <= MAX_TICK_LATE_MS).at(-1)
  const shown = best ?? steps.at(-1)
  const busiest = Math.max(...steps.map((step) => step.bankCores))
  const overloaded = generatorProblem('the callers', busiest)
  const invalid = overloaded === undefined ? {} : { invalid: overloaded }
  return [
    {
      name: 'concurrent calls, no loss, tick p95 ≤ 5 ms',
      value: best?.calls,
      unit: 'calls',
      target: { atLeast: 250 },
      detail: steps.map(describe).join('\n  '),
      ...invalid,
    },
    {
      name: `processor for one of ${shown?.calls ?? 0} calls`,
      value: shown && (100 * (shown.labCores + shown.serverCores)) / shown.calls,
      unit: '% of a core',
      target: { atMost: 0.5 },
      limit: '0.03 % (the packets alone)',
      detail: 'server and lab together',
      ...invalid,
    },
  ]
}

function isClean(step: Step): boolean {
  return step.failed === 0 && step.sentLost === 0 && step.heardLost === 0
}

async function hold(
  server: BenchServer,
  number: string,
  calls: number,
  plan: ConcurrencyPlan,
): Promise<Step> {
  await using bank = startChild<BankCommand, BankReport>('./caller/phone-bank.ts')
  const received = async () => (await server.metrics())['lab_media_packets_received'] ?? 0
  const receivedBefore = await received()
  const { callsPerSecond, holdSeconds } = plan
  const { sipPort } = server
  await bank.ask({ type: 'connect', sipPort, number, calls, callsPerSecond })
  const overflowsBefore = udpOverflows()
  await bank.ask({ type: 'count' })
  await server.metrics() // The lab's lateness figures count from the last question.
  const cpu = {
    lab: watchCores([server.pids.media]),
    server: watchCores([server.pids.server]),
    bank: watchCores([bank.pid]),
  }
  await pause(holdSeconds * 1_000)
  const cores = { lab: cpu.lab.cores(), server: cpu.server.cores(), bank: cpu.bank.cores() }
  const metrics = await server.metrics()
  const { heard } = await bank.ask({ type: 'read' })
  const { sent, failed, problem } = await bank.ask({ type: 'hush' })
  await pause(SETTLE_MS)
  const sentLost = sent - ((await received()) - receivedBefore)
  await bank.ask({ type: 'hang-up' })
  const tick = (share: string) => metrics[`lab_media_tick_lateness_ms_${share}`] ?? Number.NaN
  return {
    calls,
    failed,
    problem,
    sentLost,
    heardLost: heard.lost,
    heardLate: heard.late,
    overflows: udpOverflows() - overflowsBefore,
    tickMs: { p50: tick('p50'), p95: tick('p95'), p99: tick('p99') },
    labCores: cores.lab,
    serverCores: cores.server,
    bankCores: cores.bank,
    residentMb: (metrics['resident_bytes'] ?? 0) / 2 ** 20,
  }
}

function describe(step: Step): string {
  const { p50, p95, p99 } = step.tickMs
  const { calls, failed, problem, sentLost, heardLost, heardLate, overflows } = step
  const refused = failed === 0 ? '' : `, ${failed} not connected (${problem ?? ''})`
  return `${calls} calls${refused}: lost ${sentLost} to us, ${heardLost} from us (${heardLate} over 40 ms apart, ${overflows} overflows on the machine); tick late p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} p99 ${p99.toFixed(1)} ms; lab ${percent(step.labCores)}, server ${percent(step.serverCores)}, callers ${percent(step.bankCores)} of a core; server ${step.residentMb.toFixed(0)} MB`
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
