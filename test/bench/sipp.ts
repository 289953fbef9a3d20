import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pause } from '../../src/platform/async/sleep.js'
import { cpuSecondsOf } from '../support/process/process-cpu.js'

export interface SippLoad {
  /** The `host:port` of the called side. */
  readonly target: string
  /** The user part of the request URI. */
  readonly service: string
  /** The scenario of the caller: by default it waits for the other side's BYE. */
  readonly scenario?: 'uac-until-bye' | 'uac-hangs-up'
  /** The values of the scenario's own keywords. */
  readonly keys?: Readonly<Record<string, string>>
  readonly callsPerSecond: number
  readonly seconds: number
  /** The folder of its files, which is removed afterwards. */
  readonly folder: string
}

export interface SippResult {
  readonly placed: number
  readonly failed: number
  readonly retransmissions: number
  /** The time from INVITE to 200 of each call, milliseconds. */
  readonly answeredMs: readonly number[]
  readonly cores: number
}

const SCENARIOS = new URL('./scenarios/', import.meta.url)
/**
 * The time after which calls have failed that are still up, counted from the start of the last one.
 */
const TAIL_S = 8
const CPU_SAMPLE_MS = 200
const POLL_MS = 10

/** Places calls at an even rate, whatever happens to the earlier ones. */
export async function runSipp(load: SippLoad): Promise<SippResult> {
  const folder = mkdtempSync(join(load.folder, 'sipp-'))
  const placed = Math.round(load.callsPerSecond * load.seconds)
  const stats = join(folder, 'stats.csv')
  const startedAt = performance.now()
  const child = spawn(
    'sipp',
    [
      load.target,
      ...['-sf', scenario(load.scenario ?? 'uac-until-bye'), '-s', load.service],
      ...Object.entries(load.keys ?? {}).flatMap(([name, value]) => ['-key', name, value]),
      ...['-i', '127.0.0.1', '-p', String(await freePort()), '-t', 'u1'],
      ...['-r', String(load.callsPerSecond), '-m', String(placed), '-l', '100000'],
      ...['-trace_stat', '-stf', stats, '-fd', '1', '-trace_rtt', '-rtt_freq', '1'],
      ...['-nostdin', '-timeout', `${Math.ceil(load.seconds) + TAIL_S}s`, '-timeout_error'],
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] },
  )
  const cpu = watchCpu(child)
  await once(child, 'exit')
  const cores = cpu() / ((performance.now() - startedAt) / 1_000)
  try {
    const last = lastLine(stats)
    const done = Number(last['SuccessfulCall(C)'] ?? 0)
    return {
      placed,
      failed: placed - done,
      retransmissions: Number(last['Retransmissions(C)'] ?? 0),
      answeredMs: responseTimes(folder),
      cores,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Starts a SIPp that answers and hangs up at once, which shows the highest rate that the machine
 * allows.
 */
export async function startSippUas(): Promise<{ readonly target: string } & AsyncDisposable> {
  const port = await freePort()
  const child = spawn(
    'sipp',
    ['-sf', scenario('uas-hangs-up'), '-i', '127.0.0.1', '-p', String(port), '-nostdin'],
    { stdio: 'ignore' },
  )
  await untilBound(port, child)
  return {
    target: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/**
 * Waits until the port is bound. SIPp says nothing when it is ready; the kernel's table of sockets
 * does.
 */
async function untilBound(port: number, child: ChildProcess): Promise<void> {
  const entry = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  while (child.exitCode === null && !readFileSync('/proc/net/udp', 'latin1').includes(entry))
    await pause(POLL_MS)
}

function scenario(name: string): string {
  return fileURLToPath(new URL(`${name}.xml`, SCENARIOS))
}

/**
 * Samples the processor time of a process. A process that has ended can no longer be asked, so the
 * last sample counts.
 */
function watchCpu(child: ChildProcess): () => number {
  let seconds = 0
  const timer = setInterval(() => {
    if (child.pid !== undefined) seconds = cpuSecondsOf(child.pid) ?? seconds
  }, CPU_SAMPLE_MS)
  child.once('exit', () => {
    clearInterval(timer)
  })
  return () => seconds
}

function lastLine(csv: string): Readonly<Record<string, string>> {
  const lines = readFileSync(csv, 'latin1').trim().split('\n')
  const names = lines[0]?.split(';') ?? []
  const values = lines.at(-1)?.split(';') ?? []
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

/** Reads SIPp's own file of response times: `date;milliseconds;timer` a line, after a heading. */
function responseTimes(folder: string): readonly number[] {
  const file = readdirSync(folder).find((name) => name.endsWith('_rtt.csv'))
  if (file === undefined) return []
  return readFileSync(join(folder, file), 'latin1')
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(';')[1] ?? Number.NaN))
    .filter((time) => !Number.isNaN(time))
}

/**
 * Finds a UDP port of loopback that was free a moment ago, for a program that must be told its
 * port.
 */
async function freePort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const closed = once(socket, 'close')
  socket.close()
  await closed
  return port
}
