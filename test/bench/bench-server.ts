import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { startServer } from '../../src/cli/server-child.js'
import { pause } from '../../src/platform/async/sleep.js'
import { metricValues } from '../support/process/metric-values.js'
import { childrenOf, watchCores } from '../support/process/process-cpu.js'

/** The whole server as `npm start` runs it, on free ports of loopback, with a folder of its own. */
export interface BenchServer extends AsyncDisposable {
  readonly http: string
  /** The UDP port of loopback at which calls come in. */
  readonly sipPort: number
  readonly account: { readonly sid: string; readonly authorization: string }
  /** The process ids of the server, and of the lab or the FreeSWITCH that carries its media. */
  readonly pids: { readonly server: number; readonly media: number }
  /** Reads the gauges and counters of the private listener, without their prefix. */
  metrics(): Promise<Readonly<Record<string, number>>>
  /** Gives the number a voice URL. */
  assignNumber(e164: string, voiceUrl: string): Promise<void>
  /** Takes calls from addresses of this machine, as the lab's own carrier has it. */
  takeLocalCalls(): Promise<void>
  /** Resolves with true when no call is live any more, with false when the limit passes first. */
  untilIdle(limitMs: number): Promise<boolean>
}

const MAIN = new URL('../../dist/main.js', import.meta.url)
/** The server's settings, with its limits lifted: the bench measures capacity. */
const SETTINGS = {
  HTTP_PORT: '0',
  ADMIN_PORT: '0',
  SIP_PORT: '0',
  LOG_LEVEL: 'warn',
  CALLS_PER_SECOND: '100000',
  MAX_QUEUED_CALLS: '100000',
  MAX_CALLS: '100000',
  MAX_CALL_DELAY_MS: '0',
  DRAIN_SECONDS: '0',
  HTTP_REQUESTS_PER_SECOND: '100000',
}
const POLL_MS = 100
/** Nothing is called through it. */
const LOCAL_CARRIER = {
  host: '127.0.0.1',
  port: 9,
  prefixes: ['+1500555'],
  addresses: ['127.0.0.0/8'],
}

/** Starts the server with its data below `folder`; `env` has further settings. */
export async function startBenchServer(
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BenchServer> {
  const sid = `AC${randomBytes(16).toString('hex')}`
  const [secret, adminToken] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
  const server = await startServer(
    {
      ...SETTINGS,
      ADMIN_TOKEN: adminToken,
      DATA_DIR: join(folder, 'data'),
      FIRST_ACCOUNT_SID: sid,
      FIRST_ACCOUNT_TOKEN: secret,
      ...env,
    },
    MAIN,
  )
  const { http, admin, sip } = server.listening
  const headers = { authorization: `Bearer ${adminToken}` }
  const metrics = () => readMetrics(`${admin}/metrics`, headers)
  const put = async (path: string, body: object) => {
    const answer = await fetch(`${admin}${path}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`PUT ${path} was refused: ${await answer.text()}`)
  }
  const pid = server.process.pid ?? 0
  return {
    http,
    sipPort: Number(sip?.split(':').at(-1)),
    account: {
      sid,
      authorization: `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`,
    },
    pids: { server: pid, media: childrenOf(pid)[0] ?? 0 },
    metrics,
    assignNumber: (e164, voiceUrl) =>
      put(`/numbers/${encodeURIComponent(e164)}`, { accountSid: sid, voiceUrl }),
    takeLocalCalls: () => put('/carriers/bench', LOCAL_CARRIER),
    untilIdle: async (limitMs) => {
      const end = performance.now() + limitMs
      while (performance.now() < end) {
        const { calls_live: calls, legs_live: legs } = await metrics()
        if (calls === 0 && legs === 0) return true
        await pause(POLL_MS)
      }
      return false
    },
    [Symbol.asyncDispose]: async () => {
      const log = server.log()
      await server[Symbol.asyncDispose]()
      if (log !== '') process.stderr.write(`\nthe server's log:\n${log.slice(-4_000)}\n`)
    },
  }
}

/** Asks the voice API for a resource of the bench's account, or makes or changes one by a form. */
export async function request<T>(
  { http, account }: BenchServer,
  path: string,
  form?: string | Readonly<Record<string, string>>,
): Promise<T> {
  const answer = await fetch(`${http}/2010-04-01/Accounts/${account.sid}${path}`, {
    headers: { authorization: account.authorization },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return (await answer.json()) as T
}

/** What the server did while it was watched. */
export interface ServerLoad {
  /** The cores that each process kept busy; `generator` is the one that makes the load. */
  readonly cores: Readonly<Record<'server' | 'media' | 'generator', number>>
  /** How late the lab's media clock was; NaN on a real media server. */
  readonly tickMs: Readonly<Record<'p50' | 'p95' | 'p99', number>>
  readonly residentMb: number
}

/** Watches the server from now until `read()`. */
export async function watchLoad(
  server: BenchServer,
  generator?: { readonly pid: number },
): Promise<{ read(): Promise<ServerLoad> }> {
  await server.metrics() // The lab's lateness counts from the last question.
  const watched = {
    server: watchCores([server.pids.server]),
    media: watchCores([server.pids.media]),
    generator: watchCores(generator === undefined ? [] : [generator.pid]),
  }
  return {
    read: async () => {
      const cores = {
        server: watched.server.cores(),
        media: watched.media.cores(),
        generator: watched.generator.cores(),
      }
      const now = await server.metrics()
      const tick = (quantile: number) =>
        (now[`lab_media_tick_lateness_seconds{share="${quantile}"}`] ?? Number.NaN) * 1_000
      return {
        cores,
        tickMs: { p50: tick(0.5), p95: tick(0.95), p99: tick(0.99) },
        residentMb: (now['resident_bytes'] ?? 0) / 2 ** 20,
      }
    },
  }
}

export function describeTick({ p50, p95, p99 }: ServerLoad['tickMs']): string {
  return `tick late p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} p99 ${p99.toFixed(1)} ms`
}

async function readMetrics(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, number>>> {
  const answer = await fetch(url, { headers })
  return metricValues(await answer.text())
}
