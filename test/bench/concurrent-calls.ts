import { pause } from '../../src/platform/async/sleep.js'
import { udpOverflows } from '../support/process/process-cpu.js'
import { type BenchServer, describeTick, type ServerLoad, watchLoad } from './bench-server.js'
import type { BankCommand, BankReport } from './caller/phone-bank.js'
import { startChild } from './child.js'
import { type Figure, generatorProblem, percent } from './figure.js'

export interface ConcurrencyPlan {
  /** The numbers of calls at once, rising. The first step that loses something is the last. */
  readonly steps: readonly number[]
  readonly callsPerSecond: number
  readonly holdSeconds: number
}

interface Step extends ServerLoad {
  readonly calls: number
  readonly failed: number
  readonly problem: string | undefined
  readonly sentLost: number
  readonly heardLost: number
  readonly heardLate: number
  readonly overflows: number
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
  const busiest = Math.max(...steps.map((step) => step.cores.generator))
  const invalid = generatorProblem('the callers', busiest)
  return [
    {
      name: 'concurrent calls, no loss, tick p95 ≤ 5 ms',
      value: best?.calls,
      unit: 'calls',
      target: { atLeast: 250 },
      detail: steps.map(describe).join('\n  '),
      invalid,
    },
    {
      name: `processor for one of ${shown?.calls ?? 0} calls`,
      value: shown && (100 * (shown.cores.media + shown.cores.server)) / shown.calls,
      unit: '% of a core',
      target: { atMost: 0.5 },
      limit: '0.03 % (the packets alone)',
      detail: 'server and lab together',
      invalid,
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
  const watched = await watchLoad(server, bank)
  await pause(holdSeconds * 1_000)
  const load = await watched.read()
  const { heard } = await bank.ask({ type: 'read' })
  const { sent, failed, problem } = await bank.ask({ type: 'hush' })
  await pause(SETTLE_MS)
  const sentLost = sent - ((await received()) - receivedBefore)
  await bank.ask({ type: 'hang-up' })
  return {
    calls,
    failed,
    problem,
    sentLost,
    heardLost: heard.lost,
    heardLate: heard.late,
    overflows: udpOverflows() - overflowsBefore,
    ...load,
  }
}

function describe(step: Step): string {
  const { calls, failed, problem, sentLost, heardLost, heardLate, overflows, cores } = step
  const refused = failed === 0 ? '' : `, ${failed} not connected (${problem ?? ''})`
  return `${calls} calls${refused}: lost ${sentLost} to us, ${heardLost} from us (${heardLate} over 40 ms apart, ${overflows} overflows on the machine); ${describeTick(step.tickMs)}; lab ${percent(cores.media)}, server ${percent(cores.server)}, callers ${percent(cores.generator)} of a core; server ${step.residentMb.toFixed(0)} MB`
}
