/**
 * `npm run bench`: measures the design's figures on this machine over loopback. It prints a table
 * and writes bench-results/<date>.json, and judges nothing. `-- --quick` takes a minute and
 * measures less. docs/bench.md tells how to read it.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { pause } from '../../src/platform/async/sleep.js'
import { Disposer } from '../../src/platform/disposer.js'
import { watchMachine } from '../support/process/process-cpu.js'
import { type BenchServer, startBenchServer } from './bench-server.js'
import { measureCallRate } from './calls-per-second.js'
import { measureCommitRate } from './commit-rate.js'
import { measureConcurrency } from './concurrent-calls.js'
import { measureCoverage } from './coverage-times.js'
import { measureDetections } from './detection-times.js'
import { measureEngines } from './engines/measure-engines.js'
import { besideTable, type Figure, table } from './figure.js'
import { measureHttp } from './http-rates.js'
import { measureLatencies } from './latencies.js'
import { measureLists } from './list-times.js'
import { measureMemory } from './memory-growth.js'
import { NAMED_PARTS, PARTS, type Part, PLANS, type Plan } from './plan.js'
import { type RealUrls, startRealServer } from './real-bench-server.js'
import { measureRecordings } from './recording-times.js'
import { measureRegistrations } from './registrations/measure-registrations.js'
import { measureStreams } from './stream-times.js'
import { startFreeswitchAlone } from './systems/freeswitch-alone.js'
import { measureOverload } from './systems/measure-overload.js'
import { type MeasuredSystem, measureSystems } from './systems/measure-systems.js'
import type { System } from './systems/system.js'
import { labSystem, startLabSystem, startRealSystem } from './systems/trunkline-system.js'
import { startVoiceApp } from './voice-app.js'

/** The number of the streams part, whose page depends on its server's address. */
const STREAM_NUMBER = '+15551230104'
const RECORDING_NUMBER = '+15551230105'
const NUMBERS = { brief: '+15551230101', long: '+15551230102', ask: '+15551230103' }
const BACKGROUND_MS = 500
/** The default of the setting, which the bench otherwise turns off. */
const REFUSES_LATE = { MAX_CALL_DELAY_MS: '200' }
const HELP = `npm run bench -- [options]

  --quick        about a minute, with fewer calls
  --only PARTS   only these, with commas between them: ${PARTS.join(', ')}
  --real         latency, streams and systems, on the lab and on the servers of DRACHTIO_URL and FREESWITCH_URL
  --peer         systems, on the lab and on the FreeSWITCH of FREESWITCH_URL alone
  --help         this text

Prints a table of the figures and writes bench-results/DATE.json. docs/bench.md explains them.`

interface Environment {
  readonly at: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly kernel: string
  readonly node: string
  readonly sipp: string
  /** The load averages of the last 1, 5 and 15 minutes, taken before the first measurement. */
  readonly load: readonly number[]
}

interface Measured {
  readonly part: Part
  /** The cores that other processes kept busy just before. */
  readonly otherLoadCores: number
  readonly figures: readonly Figure[]
}

/** The systems that are measured beside the lab. */
interface Beside {
  readonly real: boolean
  readonly peer: boolean
}

interface Run {
  readonly appUrl: string
  readonly beside: Beside
  readonly server: BenchServer
  readonly folder: string
  readonly plan: Plan
}

async function bench(parts: readonly Part[], plan: Plan, beside: Beside): Promise<void> {
  const environment = readEnvironment()
  say(`${describeEnvironment(environment)}\n`)
  await using disposer = new Disposer()
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-bench-'))
  disposer.defer(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const app = disposer.use(await startVoiceApp())
  const server = disposer.use(await startBenchServer(folder))
  for (const [page, number] of Object.entries(NUMBERS))
    await server.assignNumber(number, `${app.url}/${page}`)

  const startedAt = performance.now()
  const results: Measured[] = []
  for (const part of parts) {
    const otherLoadCores = await backgroundCores()
    say(`· ${part} (other work: ${otherLoadCores.toFixed(2)} cores)`)
    const figures = await MEASURE[part]({ server, folder, plan, beside, appUrl: app.url })
    results.push({ part, otherLoadCores, figures })
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const figures = results.flatMap((result) => result.figures)
  const [ofEngines, others] = [true, false].map((isOfEngine) =>
    figures.filter(({ engine }) => (engine !== undefined) === isOfEngine),
  )
  if (others?.length) say(`\n${table(others)}`)
  if (ofEngines?.length) say(`\n${besideTable(ofEngines)}`)
  const file = keep({ environment, seconds, results })
  say(`\n${seconds.toFixed(0)} s; ${file}`)
}

const MEASURE: Readonly<Record<Part, (run: Run) => Promise<readonly Figure[]>>> = {
  latency: (run) =>
    measureBoth(run, ({ sipPort }) => measureLatencies(sipPort, NUMBERS.ask, run.plan.latency)),
  streams: (run) =>
    measureBoth(run, (server) =>
      measureStreams(server, STREAM_NUMBER, run.appUrl, run.plan.streams, progress),
    ),
  recordings: ({ server, plan, appUrl, folder }) =>
    measureRecordings(
      server,
      { number: RECORDING_NUMBER, appUrl, folder: join(folder, 'data', 'recordings') },
      plan.recordings,
      progress,
    ),
  detection: ({ server, plan, appUrl }) =>
    measureDetections(server, `${appUrl}/greet`, plan.detection, progress),
  calls: ({ server, plan, folder }) =>
    measureCallRate(server, NUMBERS.brief, { ...plan.calls, folder }, progress),
  concurrency: ({ server, plan }) =>
    measureConcurrency(server, NUMBERS.long, plan.concurrency, progress),
  http: ({ server, plan, folder }) => {
    const commits = measureCommitRate(join(folder, 'commits.db'), plan.commitMs)
    return measureHttp(server, folder, plan.http, commits, progress)
  },
  engines: ({ plan, folder, appUrl }) =>
    measureEngines(join(folder, 'engines'), `${appUrl}/ask`, plan.engines, progress),
  lists: ({ server, plan, folder }) => measureLists(server, folder, plan.lists, progress),
  registrations: ({ server, plan }) =>
    measureRegistrations(server, NUMBERS.ask, plan.registrations, progress),
  coverage: ({ plan, folder }) => measureCoverage(folder, plan.coverage, progress),
  memory: ({ plan, folder, appUrl }) => {
    const own = join(folder, 'memory')
    mkdirSync(own)
    return measureMemory(own, `${appUrl}/brief`, plan.memory, progress)
  },
  systems: async (run) => {
    const systems = await measureAllSystems(run)
    const figures = systems.flatMap((system) => system.figures)
    for (const [index, start] of latecomers(run).entries()) {
      const { carried } = systems[index] ?? {}
      if (carried === undefined) continue
      await using system = await start()
      const { seconds } = run.plan.systems
      figures.push(await measureOverload(system, run.folder, carried, seconds, progress))
    }
    return figures
  },
}

/** Measures the lab, and then the real servers where they are asked for: those figures say so. */
async function measureBoth(
  { server, beside, folder, appUrl }: Run,
  measure: (server: BenchServer) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const ofLab = await measure(server)
  if (!beside.real) return ofLab
  const own = mkdtempSync(join(folder, 'real-'))
  await using real = await startRealServer(realUrls(), own)
  await real.assignNumber(NUMBERS.ask, `${appUrl}/ask`)
  progress('real servers:')
  const ofReal = await measure(real)
  return [...ofLab, ...ofReal.map((each) => ({ ...each, name: `real servers: ${each.name}` }))]
}

async function measureAllSystems(run: Run): Promise<readonly MeasuredSystem[]> {
  await using disposer = new Disposer()
  const systems = [labSystem(run.server, NUMBERS.long)]
  for (const start of systemsBeside(run)) systems.push(disposer.use(await start()))
  return await measureSystems(systems, run.folder, run.plan.systems, progress)
}

/** The lab and the real servers, each to be started with a server that refuses calls when it is late. */
function latecomers({ beside, folder, appUrl }: Run): readonly (() => Promise<System>)[] {
  const page = { service: NUMBERS.long, voiceUrl: `${appUrl}/long` }
  const own = join(folder, 'late')
  mkdirSync(own)
  return [
    () => startLabSystem(join(own, 'lab'), page, REFUSES_LATE),
    ...(beside.real
      ? [() => startRealSystem(realUrls(), join(own, 'real'), page, REFUSES_LATE)]
      : []),
  ]
}

/** The systems beside the lab that the options ask for, each to be started. */
function systemsBeside({ beside, folder, appUrl }: Run): readonly (() => Promise<System>)[] {
  const { FREESWITCH_URL } = realUrls()
  const own = join(folder, 'real')
  const page = { service: NUMBERS.long, voiceUrl: `${appUrl}/long` }
  mkdirSync(own)
  return [
    ...(beside.real ? [() => startRealSystem(realUrls(), own, page)] : []),
    ...(beside.peer ? [() => startFreeswitchAlone(FREESWITCH_URL, folder)] : []),
  ]
}

function realUrls(): RealUrls {
  const { DRACHTIO_URL = '', FREESWITCH_URL = '' } = process.env
  return { DRACHTIO_URL, FREESWITCH_URL }
}

function demandUrls({ real, peer }: Beside): void {
  const { DRACHTIO_URL, FREESWITCH_URL } = realUrls()
  if ((real || peer) && FREESWITCH_URL === '')
    throw new Error('FREESWITCH_URL has to name a FreeSWITCH: tcp://:PASSWORD@127.0.0.1:8021')
  if (real && DRACHTIO_URL === '')
    throw new Error('DRACHTIO_URL has to name a drachtio: tcp://:SECRET@127.0.0.1:9022')
}

function readEnvironment(): Environment {
  const processors = cpus()
  return {
    at: new Date().toISOString(),
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    sipp: sippVersion(),
    load: loadavg().map((load) => Number(load.toFixed(2))),
  }
}

function describeEnvironment(environment: Environment): string {
  const { cpu, cores, memoryGb, kernel, node, sipp, load } = environment
  const busy =
    (load[0] ?? 0) > cores / 4
      ? '\nThe machine was not idle: other work makes every figure worse and uneven.'
      : ''
  return `${cpu}, ${cores} cores, ${memoryGb} GB, Linux ${kernel}, Node ${node}, ${sipp}
load average at start ${load.join(' ')}${busy}`
}

function sippVersion(): string {
  const done = spawnSync('sipp', ['-v'], { encoding: 'utf8' })
  if (done.error !== undefined) {
    throw new Error(
      'the benchmark calls with sipp, which is not installed. On Debian and Ubuntu: sudo apt-get install sip-tester',
    )
  }
  return /SIPp v[\d.]+/.exec(done.stdout)?.[0] ?? 'SIPp'
}

async function backgroundCores(): Promise<number> {
  const machine = watchMachine()
  await pause(BACKGROUND_MS)
  return machine.cores()
}

function keep(result: object): string {
  const folder = resolve('bench-results')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`)
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`)
  return file
}

function progress(text: string): void {
  say(`  ${text}`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function chosenParts(only: string | undefined, { real, peer }: Beside): readonly Part[] {
  if (only === undefined && real) return ['latency', 'streams', 'systems']
  if (only === undefined && peer) return ['systems']
  if (only === undefined) return PARTS.filter((part) => !NAMED_PARTS.includes(part))
  const wanted = only.split(',')
  const unknown = wanted.find((name) => !PARTS.some((part) => part === name))
  if (unknown !== undefined) throw new Error(`--only knows ${PARTS.join(', ')}, not "${unknown}"`)
  return PARTS.filter((part) => wanted.includes(part))
}

try {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      real: { type: 'boolean', default: false },
      peer: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) say(HELP)
  else {
    demandUrls(values)
    const parts = chosenParts(values.only, values)
    await bench(parts, values.quick ? PLANS.quick : PLANS.full, values)
  }
} catch (error) {
  process.stderr.write(
    `the benchmark did not end: ${error instanceof Error ? error.message : String(error)}\n`,
  )
  process.exitCode = 1
}
