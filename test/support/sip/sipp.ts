import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../process/free-port.js'
import { tempFolder } from '../process/temp-folder.js'
import { waitUntil } from '../time/wait-until.js'

const SCENARIOS = new URL('../../e2e/scenarios/', import.meta.url).pathname
const LIMIT_S = 60

export interface SippOptions {
  /** File name in test/e2e/scenarios, without `.xml`. */
  readonly scenario: string
  /** The `host:port` to call; absent for a scenario that waits for calls. */
  readonly target?: string
  readonly transport?: 'udp' | 'tcp'
  /** Loopback address of its SIP and RTP; default 127.0.0.1. */
  readonly host?: `127.0.0.${number}` | '::1'
  /** User part of the request URI. */
  readonly service?: string
  readonly calls?: number
  /** Calls per second. */
  readonly rate?: number
  /** RTP port in its SDP, on which a party of the test listens. */
  readonly rtpPort?: number
  readonly keys?: Readonly<Record<string, string>>
  /** Time limit in seconds; default 60. */
  readonly limitS?: number
  readonly extra?: readonly string[]
}

/**
 * A running SIPp: `done` resolves when its scenario has succeeded, else rejects with SIPp's screen and trace.
 */
export interface RunningSipp extends AsyncDisposable {
  readonly port: number
  readonly done: Promise<void>
  /** SIP messages sent and received so far. */
  messages(): string
}

/** Starts SIPp on a free loopback port; resolves once the port is bound, so that no call is lost. */
export async function startSipp(options: SippOptions): Promise<RunningSipp> {
  const folder = tempFolder()
  const port = await freePort()
  const rtpPort = options.rtpPort ?? (await freePort())
  const trace = join(folder.path, 'messages.log')
  const errors = join(folder.path, 'errors.log')
  const args = argumentsOf(options, { port, rtpPort, trace, errors })
  const child = spawn('sipp', args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] })
  let screen = ''
  const keep = (chunk: Buffer) => {
    screen = (screen + chunk.toString('latin1')).slice(-20_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const read = (file: string) => {
    try {
      return readFileSync(file, 'latin1')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
      throw error
    }
  }
  let kept: string | undefined
  const done = exitOf(child).then((code) => {
    const messages = read(trace)
    kept = messages
    const problems = read(errors)
    folder[Symbol.dispose]()
    if (code === 0) return
    throw new Error(
      `sipp ${args.join(' ')} exited ${String(code)}\n${problems}\n${messages.slice(-12_000)}\n${screen.slice(-3_000)}`,
    )
  })
  done.catch(() => undefined) // Callers of `done` get the failure: it must not crash a process that no longer waits.
  if (options.target === undefined) await bound(port, tableOf(options), child)
  return {
    port,
    done,
    messages: () => kept ?? read(trace),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    },
  }
}

/** Runs SIPp; resolves when its scenario has succeeded. */
export async function sipp(options: SippOptions): Promise<void> {
  await using running = await startSipp(options)
  await running.done
}

interface Places {
  readonly port: number
  readonly rtpPort: number
  readonly trace: string
  readonly errors: string
}

function argumentsOf(options: SippOptions, { port, rtpPort, trace, errors }: Places): string[] {
  const {
    scenario,
    target,
    transport = 'udp',
    service,
    host = '127.0.0.1',
    calls = 1,
    rate,
    keys = {},
    limitS = LIMIT_S,
    extra = [],
  } = options
  return [
    ...(target === undefined ? [] : [target]),
    ...['-sf', join(SCENARIOS, `${scenario}.xml`)],
    ...['-i', host, '-mi', host, '-p', String(port)],
    ...['-t', transport === 'tcp' ? 't1' : 'u1', '-m', String(calls)],
    ...(rate === undefined ? [] : ['-r', String(rate), '-l', String(calls)]),
    ...(service === undefined ? [] : ['-s', service]),
    ...['-key', 'rtp_port', String(rtpPort)],
    ...Object.entries(keys).flatMap(([name, value]) => ['-key', name, value]),
    ...['-trace_msg', '-message_file', trace, '-trace_err', '-error_file', errors],
    ...['-nostdin', '-timeout', String(limitS), '-timeout_error'],
    ...extra,
  ]
}

async function exitOf(child: ChildProcess): Promise<number | string | null> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return code ?? signal
}

/** The kernel's socket table that lists SIPp's socket. */
function tableOf({ transport = 'udp', host }: SippOptions): string {
  return `/proc/net/${transport}${host === '::1' ? '6' : ''}`
}

/** Waits until SIPp's port is in the kernel's socket table: SIPp does not report that it is ready. */
async function bound(port: number, socketTable: string, child: ChildProcess): Promise<void> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const own = new RegExp(`:${hex} 0+:0000 `)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  await waitUntil(
    `sipp is bound to port ${String(port)}`,
    () => hasEnded() || own.test(readFileSync(socketTable, 'latin1')),
    30_000,
  )
}
