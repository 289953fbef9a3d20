/** Offers a system twice the rate that it carries, while it refuses what makes calls late. */
import { type Figure, generatorProblem } from '../figure.js'
import { type Percentiles, percentilesOf } from '../percentiles.js'
import { callSystem } from './measure-systems.js'
import type { System } from './system.js'

interface Step {
  readonly rate: number
  readonly placed: number
  readonly refused: number
  /** The calls that failed otherwise. */
  readonly failed: number
  /** The time from INVITE to 200 of the calls that were taken. */
  readonly answered: Percentiles
  readonly cores: number
}

/** Measures the rate `carried`, and then twice as much: the first seconds, and those that follow. */
export async function measureOverload(
  system: System,
  folder: string,
  carried: number,
  seconds: number,
  say: (text: string) => void,
): Promise<Figure> {
  const steps: Step[] = []
  // Warms; not counted. What is usual is that of a server whose code is compiled.
  await callSystem(system, folder, carried, seconds)
  for (const rate of [carried, 2 * carried, 2 * carried]) {
    const step = await runStep(system, folder, rate, seconds)
    steps.push(step)
    say(`${system.name} ${describe(step)}`)
  }
  const [usual, , overload] = steps
  const invalid = generatorProblem('SIPp', Math.max(...steps.map(({ cores }) => cores)))
  return {
    name: `${system.name}: INVITE → 200 of calls taken at twice ${carried}/s, times that at ${carried}/s, p95`,
    value: usual && overload && overload.answered.p95 / usual.answered.p95,
    unit: '',
    target: { atMost: 2 },
    detail: steps.map(describe).join('\n  '),
    invalid,
  }
}

async function runStep(
  system: System,
  folder: string,
  rate: number,
  seconds: number,
): Promise<Step> {
  const before = await system.refusedLate()
  const { placed, failed, answeredMs, cores } = await callSystem(system, folder, rate, seconds)
  const refused = (await system.refusedLate()) - before
  return {
    rate,
    placed,
    refused,
    failed: failed - refused,
    answered: percentilesOf(answeredMs),
    cores,
  }
}

function describe({ rate, placed, refused, failed, answered }: Step): string {
  const { count, p50, p95, max } = answered
  return `${rate}/s: ${count} of ${placed} taken, ${refused} refused, ${failed} failed, INVITE→200 p50 ${p50.toFixed(0)} p95 ${p95.toFixed(0)} max ${max.toFixed(0)} ms`
}
