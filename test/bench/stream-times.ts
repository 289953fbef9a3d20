import { type BenchServer, describeTick, type ServerLoad, watchLoad } from './bench-server.js'
import { startChild } from './child.js'
import { type Figure, generatorProblem, percent } from './figure.js'
import { describePercentiles, type Percentiles, percentilesOf } from './percentiles.js'
import type { StreamBankCommand, StreamBankReport } from './streams/stream-bank.js'

export interface StreamPlan {
  /** The numbers of two-way streams at once, rising. */
  readonly steps: readonly number[]
  readonly callsPerSecond: number
  readonly holdSeconds: number
  /** The number of times that a stream speaks and is cleared in each step. */
  readonly clears: number
}

interface Step extends ServerLoad {
  readonly streams: number
  readonly problem: string | undefined
  readonly sent: number
  readonly lost: number
  readonly frame: Percentiles
  readonly speak: Percentiles
  readonly clear: Percentiles
}

const IDLE_LIMIT_MS = 10_000

/**
 * Measures calls whose every frame goes to a customer's websocket server, which speaks now and
 * then.
 */
export async function measureStreams(
  server: BenchServer,
  number: string,
  appUrl: string,
  plan: StreamPlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const steps: Step[] = []
  for (const streams of plan.steps) {
    const step = await measureStep(server, number, appUrl, streams, plan)
    steps.push(step)
    say(describe(step))
    await server.untilIdle(IDLE_LIMIT_MS)
  }
  return steps.flatMap(figuresOf)
}

async function measureStep(
  server: BenchServer,
  number: string,
  appUrl: string,
  streams: number,
  { callsPerSecond, holdSeconds, clears }: StreamPlan,
): Promise<Step> {
  await using bank = startChild<StreamBankCommand, StreamBankReport>('./streams/stream-bank.ts')
  const { port } = await bank.ask({ type: 'listen' })
  await server.assignNumber(number, `${appUrl}/stream/${port}`)
  const { sipPort } = server
  const calls = { sipPort, number, calls: streams, callsPerSecond }
  const { problem } = await bank.ask({ type: 'connect', ...calls })
  const watched = await watchLoad(server, bank)
  const { frameMs, sent, lost } = await bank.ask({ type: 'hold', seconds: holdSeconds })
  const load = await watched.read()
  const { speakMs, clearMs } = await bank.ask({ type: 'clear', times: clears })
  await bank.ask({ type: 'hang-up' })
  return {
    streams,
    problem,
    sent,
    lost,
    frame: percentilesOf(frameMs),
    speak: percentilesOf(speakMs),
    clear: percentilesOf(clearMs),
    ...load,
  }
}

function figuresOf(step: Step): readonly Figure[] {
  const invalid = step.problem ?? generatorProblem('both ends', step.cores.generator)
  const at = step.streams === 1 ? '1 stream' : `${step.streams} streams`
  return [
    {
      name: `RTP in → websocket frame out, ${at}, p95`,
      value: step.frame.p95,
      unit: 'ms',
      target: { atMost: 10 },
      limit: 'below 1 ms',
      detail: describe(step),
      invalid,
    },
    {
      name: `clear → silence, ${at}, p95`,
      value: step.clear.p95,
      unit: 'ms',
      target: { atMost: 60 },
      limit: '20 ms, one frame',
      detail: `${describePercentiles(step.clear)}; clear sent to the end of the last packet that is not silence`,
      invalid,
    },
    {
      name: `media → first audio, ${at}, p95`,
      value: step.speak.p95,
      unit: 'ms',
      detail: `${describePercentiles(step.speak)}; of them the media server gathers 160 ms of audio`,
      invalid,
    },
  ]
}

function describe({ streams, problem, sent, lost, frame, clear, tickMs, cores }: Step): string {
  const trouble = problem === undefined ? '' : ` (${problem})`
  const tick = Number.isNaN(tickMs.p95) ? '' : `${describeTick(tickMs)}; `
  return `${streams} streams${trouble}: frames ${describePercentiles(frame)}, ${lost} of ${sent} lost; clear ${describePercentiles(clear)}; ${tick}media server ${percent(cores.media)}, server ${percent(cores.server)}, both ends ${percent(cores.generator)} of a core`
}
