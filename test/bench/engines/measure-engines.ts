/** Measures the same requests and calls on each storage engine, in one run and in turns. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Disposer } from '../../../src/platform/disposer.js'
import { startPostgres } from '../../support/process/postgres-server.js'
import { type BenchServer, startBenchServer } from '../bench-server.js'
import { SipCaller } from '../caller/sip-caller.js'
import { type Child, startChild } from '../child.js'
import { type Figure, generatorProblem } from '../figure.js'
import type { LoadCommand, LoadReport } from '../http/load.js'
import { drain, endedCall, FORM, mean, requestOf } from '../http-rates.js'
import { describePercentiles, percentilesOf } from '../percentiles.js'

export interface EnginePlan {
  readonly connections: number
  /** The length of one turn of requests. */
  readonly seconds: number
  /** The number of measured calls on each engine, in all. */
  readonly calls: number
  readonly lanes: number
}

const NUMBER = '+15551230110'
const WARM_SECONDS = 0.5
/** The prefix of the counters of transactions that ran again. */
const RETRIES = 'database_retries{cause='

/** One engine with a server on it, and what was measured so far. */
interface Subject {
  readonly engine: string
  readonly server: BenchServer
  readonly requests: Readonly<Record<'creates' | 'gets' | 'pages', LoadCommand>>
  readonly caller: SipCaller
  readonly creates: LoadReport[]
  readonly gets: LoadReport[]
  readonly pages: LoadReport[]
  readonly answerMs: number[]
}

/**
 * Measures SQLite and PostgreSQL in the turns A B B A. Without PostgreSQL on this machine it says so
 * and measures SQLite alone.
 */
export async function measureEngines(
  folder: string,
  voiceUrl: string,
  plan: EnginePlan,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  await using disposer = new Disposer()
  const load = disposer.use(startChild<LoadCommand, LoadReport>('./http/load.ts'))
  const places: (readonly [engine: string, env: Readonly<Record<string, string>>])[] = [
    ['SQLite', {}],
  ]
  try {
    const postgres = disposer.use(await startPostgres())
    places.push(['PostgreSQL', { DATABASE_URL: postgres.url('postgres') }])
  } catch (error) {
    say(`PostgreSQL is not measured: ${error instanceof Error ? error.message : String(error)}`)
  }
  const subjects: Subject[] = []
  for (const [engine, env] of places) {
    const own = join(folder, engine)
    mkdirSync(own, { recursive: true })
    const server = disposer.use(await startBenchServer(own, env))
    await server.assignNumber(NUMBER, voiceUrl)
    const caller = await SipCaller.open(server.sipPort)
    disposer.defer(() => {
      caller.close()
    })
    const requests = await requestsTo(server, plan)
    const measured = { creates: [], gets: [], pages: [], answerMs: [] }
    subjects.push({ engine, server, caller, requests, ...measured })
  }
  for (const subject of [...subjects, ...subjects.toReversed()])
    await measure(subject, load, plan, say)
  const figures = await Promise.all(subjects.map(figuresOf))
  return figures.flat()
}

async function requestsTo(server: BenchServer, plan: EnginePlan): Promise<Subject['requests']> {
  const { sid } = await endedCall(server)
  const port = Number(new URL(server.http).port)
  const { connections, seconds } = plan
  const command = (request: string, expectedStatus: number): LoadCommand => ({
    port,
    connections,
    seconds,
    request,
    expectedStatus,
  })
  return {
    creates: command(requestOf(server, 'POST', '/Calls.json', FORM), 201),
    gets: command(requestOf(server, 'GET', `/Calls/${sid}.json`), 200),
    pages: command(requestOf(server, 'GET', '/Calls.json?PageSize=50'), 200),
  }
}

/** One turn: calls first, on a quiet server; then creates, and reads of what they have made. */
async function measure(
  subject: Subject,
  load: Child<LoadCommand, LoadReport>,
  plan: EnginePlan,
  say: (text: string) => void,
): Promise<void> {
  const { engine, requests, server } = subject
  await answerTime(subject) // Warms caches and code; not counted.
  const lane = async () => {
    for (let call = 0; call < plan.calls / plan.lanes / 2; call += 1)
      subject.answerMs.push(await answerTime(subject))
  }
  await Promise.all(Array.from({ length: plan.lanes }, lane))
  for (const name of ['creates', 'gets', 'pages'] as const) {
    await load.ask({ ...requests[name], seconds: WARM_SECONDS })
    const report = await load.ask(requests[name])
    subject[name].push(report)
    say(`${engine}: ${name} ${report.perSecond.toFixed(0)}/s, p95 ${report.p95.toFixed(1)} ms`)
    await drain(server)
  }
}

async function answerTime({ caller }: Subject): Promise<number> {
  const call = await caller.call(NUMBER)
  await call.hangUp()
  return call.answeredAt - call.invitedAt
}

async function figuresOf(subject: Subject): Promise<readonly Figure[]> {
  const { engine, server } = subject
  const answers = percentilesOf(subject.answerMs)
  const answer = (name: string, value: number): Figure => ({
    engine,
    name,
    value,
    unit: 'ms',
    detail: describePercentiles(answers),
  })
  return [
    rate(engine, 'create calls', subject.creates, await retriesOf(server)),
    rate(engine, 'GET one call', subject.gets, ''),
    rate(engine, 'first page of 50 calls', subject.pages, ''),
    answer('INVITE → 200, p50', answers.p50),
    answer('INVITE → 200, p95', answers.p95),
  ]
}

/** The transactions of the whole run that ran again, by cause; empty without any. */
async function retriesOf(server: BenchServer): Promise<string> {
  const metrics = Object.entries(await server.metrics())
  const causes = metrics.filter(([name, count]) => name.startsWith(RETRIES) && count > 0)
  if (causes.length === 0) return ''
  return `; ran again: ${causes.map(([name, count]) => `${name.slice(RETRIES.length, -1)} ${count}`).join(', ')}`
}

function rate(engine: string, name: string, runs: readonly LoadReport[], more: string): Figure {
  const unexpected = runs.reduce((sum, run) => sum + run.unexpected, 0)
  const invalid =
    unexpected > 0
      ? `${unexpected} answers had another status`
      : generatorProblem('the client', Math.max(...runs.map(({ cores }) => cores)))
  const shown = runs.map(
    ({ perSecond, p50, p95 }) =>
      `${perSecond.toFixed(0)}/s (p50 ${p50.toFixed(1)}, p95 ${p95.toFixed(1)} ms)`,
  )
  const detail = `${shown.join(', ')}${more}`
  return { engine, name, value: mean(runs), unit: '/s', detail, invalid }
}
