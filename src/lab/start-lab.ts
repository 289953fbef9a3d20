import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { linkAbort } from '../platform/async/abort.js'
import type { Logger } from '../platform/log.js'
import type {
  LabCommand,
  LabOptions,
  LabPorts,
  LabReport,
  LabSecrets,
  LabStats,
} from './lab-protocol.js'

export type { LabOptions, LabStats } from './lab-protocol.js'

/** The exit of the lab's process; the supervisor starts another one. */
export interface LabExit {
  readonly code: number | null
  readonly signal: string | null
}

/** The embedded servers, in a process of their own. */
export interface Lab extends AsyncDisposable {
  /**
   * The URL of the drachtio server, `tcp://:SECRET@127.0.0.1:PORT`; the same for the lab's whole
   * life.
   */
  readonly drachtioUrl: string
  readonly freeswitchUrl: string
  /** The address of the simulated parties: `sip:127.0.0.1:PORT`. */
  readonly phonesUri: string
  readonly sipPort: number
  /** The SIP port of TLS; undefined where there is none. */
  readonly sipTlsPort: number | undefined
  readonly sipContacts: readonly string[]
  /** The process id; undefined while no process runs. */
  readonly pid: number | undefined
  /** Called whenever the process ends unasked; the returned function unsubscribes. */
  onExit(listener: (exit: LabExit) => void): () => void
  /** Reads the figures; rejects when the process does not answer. */
  stats(): Promise<LabStats>
}

export interface StartLabOptions extends LabOptions {
  /** The file of the process; tests that run from source name the built one. */
  readonly processFile?: URL
}

/** A lab that did not start; with the system's code and the port when it could not listen. */
export class LabStartError extends Error {
  override readonly name = 'LabStartError'
  readonly code: string | undefined
  readonly port: number | undefined

  constructor({ reason, code, port }: Extract<LabReport, { type: 'failed' }>) {
    super(`the lab did not start: ${reason}`)
    this.code = code
    this.port = port
  }
}

const READY_LIMIT_MS = 20_000
const STATS_LIMIT_MS = 3_000
const STOP_LIMIT_MS = 10_000
const FIRST_RESTART_MS = 100
const LAST_RESTART_MS = 5_000
/** The run time after which a process counts as stable: the next one starts without delay. */
const STABLE_MS = 60_000

/** Resolves when every server of the lab listens; rejects when one cannot. */
export async function startLab(options: StartLabOptions, log: Logger): Promise<Lab> {
  const supervisor = new Supervisor(options, log)
  await supervisor.start()
  return supervisor
}

interface Run {
  readonly child: ChildProcess
  readonly ready: Extract<LabReport, { type: 'ready' }>
  readonly startedAt: number
}

/** Owns the process: starts it, and starts it again on the same ports when it dies. */
class Supervisor implements Lab {
  readonly #options: StartLabOptions
  readonly #log: Logger
  readonly #secrets: LabSecrets = { drachtio: newSecret(), eventSocket: newSecret() }
  readonly #exits = new Set<(exit: LabExit) => void>()
  readonly #stop = new AbortController()
  #run: Run | undefined
  #restarting: Promise<void> | undefined
  #known: Pick<Run['ready'], 'ports' | 'sipContacts'>

  constructor({ ...options }: StartLabOptions, log: Logger) {
    this.#options = options
    this.#log = log
    const ports = {
      sip: options.sipPort,
      sipTls: options.tls?.port ?? 0,
      drachtio: 0,
      eventSocket: 0,
      mediaSip: 0,
      phonesSip: 0,
    }
    this.#known = { ports, sipContacts: [] }
  }

  get drachtioUrl(): string {
    return `tcp://:${this.#secrets.drachtio}@127.0.0.1:${this.#known.ports.drachtio}`
  }

  get freeswitchUrl(): string {
    return `tcp://:${this.#secrets.eventSocket}@127.0.0.1:${this.#known.ports.eventSocket}`
  }

  get phonesUri(): string {
    return `sip:127.0.0.1:${this.#known.ports.phonesSip}`
  }

  get sipPort(): number {
    return this.#known.ports.sip
  }

  get sipTlsPort(): number | undefined {
    return this.#options.tls === undefined ? undefined : this.#known.ports.sipTls
  }

  get sipContacts(): readonly string[] {
    return this.#known.sipContacts
  }

  get pid(): number | undefined {
    return this.#run?.child.pid
  }

  onExit(listener: (exit: LabExit) => void): () => void {
    this.#exits.add(listener)
    return () => {
      this.#exits.delete(listener)
    }
  }

  async stats(): Promise<LabStats> {
    const child = this.#run?.child
    if (child === undefined) throw new Error('the lab is not running')
    const request = randomBytes(4).readUInt32BE()
    const signal = AbortSignal.timeout(STATS_LIMIT_MS)
    const answer = nextReport(child, signal, (report) =>
      report.type === 'stats' && report.request === request ? report : undefined,
    )
    send(child, { type: 'stats', request })
    return (await answer).stats
  }

  async start(): Promise<void> {
    this.#run = await this.#spawn(this.#known.ports)
    this.#known = this.#run.ready
    this.#watch(this.#run)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    const child = this.#run?.child
    this.#run = undefined
    if (child !== undefined) await stop(child, this.#log)
    await this.#restarting
  }

  async #spawn(ports: LabPorts): Promise<Run> {
    const { processFile, ...options } = this.#options
    const file = processFile ?? new URL('./lab-process.js', import.meta.url)
    const child = fork(fileURLToPath(file), {
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    try {
      using limit = linkAbort([this.#stop.signal], {
        ms: READY_LIMIT_MS,
        reason: () => new Error(`the lab was not ready in ${READY_LIMIT_MS} ms`),
      })
      const answer = nextReport(child, limit.signal, (report) =>
        report.type === 'ready' || report.type === 'failed' ? report : undefined,
      )
      send(child, { type: 'start', options, ports, secrets: this.#secrets })
      const report = await answer
      if (report.type === 'failed') throw new LabStartError(report)
      return { child, ready: report, startedAt: performance.now() }
    } catch (error) {
      await stop(child, this.#log)
      throw error
    }
  }

  #watch(run: Run): void {
    run.child.once('exit', (code, signal) => {
      if (this.#stop.signal.aborted) return
      this.#run = undefined
      this.#log.error({ code, signal }, 'the lab died with its calls; restarting it')
      for (const listener of [...this.#exits]) listener({ code, signal })
      const ranMs = performance.now() - run.startedAt
      this.#restarting = this.#restart(ranMs > STABLE_MS ? 0 : FIRST_RESTART_MS)
    })
  }

  async #restart(firstDelayMs: number): Promise<void> {
    let delayMs = firstDelayMs
    for (;;) {
      try {
        await delay(delayMs, this.#stop.signal)
        this.#run = await this.#spawn(this.#known.ports)
        this.#log.warn({ ports: this.#known.ports }, 'restarted the lab')
        this.#watch(this.#run)
        return
      } catch (err) {
        // Told to stop, while waiting or while the process started.
        if (this.#stop.signal.aborted) return
        delayMs = Math.min(LAST_RESTART_MS, Math.max(FIRST_RESTART_MS, delayMs * 2))
        this.#log.error({ err, delayMs }, 'could not restart the lab yet')
      }
    }
  }
}

function newSecret(): string {
  return randomBytes(18).toString('base64url')
}

function send(child: ChildProcess, command: LabCommand): void {
  if (child.connected) child.send(command)
}

/**
 * Waits for the first report that `pick` takes; rejects when the process ends or the signal aborts.
 */
async function nextReport<Report>(
  child: ChildProcess,
  signal: AbortSignal,
  pick: (report: LabReport) => Report | undefined,
): Promise<Report> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      child.off('message', onMessage)
      child.off('exit', onExit)
      child.off('error', onError)
      signal.removeEventListener('abort', onAbort)
      finish()
    }
    const onMessage = (report: LabReport): void => {
      const picked = pick(report)
      if (picked === undefined) return
      settle(() => {
        resolve(picked)
      })
    }
    const fail = (error: Error): void => {
      settle(() => {
        reject(error)
      })
    }
    const onExit = (code: number | null, by: string | null): void => {
      fail(new Error(`the lab ended with ${String(code ?? by)}`))
    }
    const onError = (cause: Error): void => {
      fail(new Error('the lab cannot be run', { cause }))
    }
    const onAbort = (): void => {
      fail(new Error('the lab did not answer', { cause: signal.reason }))
    }
    if (signal.aborted) onAbort()
    child.on('message', onMessage)
    child.once('exit', onExit)
    child.once('error', onError)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

async function stop(child: ChildProcess, log: Logger): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const exited = once(child, 'exit')
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => {
    log.error('killed the lab, which did not end')
    child.kill('SIGKILL')
  }, STOP_LIMIT_MS)
  await exited
  clearTimeout(timer)
}

async function delay(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(new Error('no restart any more'))
    }
    if (signal.aborted) {
      reject(new Error('no restart any more'))
      return
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
