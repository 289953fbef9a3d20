import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type ServerChild, startServer } from '../../../src/cli/server-child.js'
import { metricValues } from './metric-values.js'
import { type RealServers, realServers } from './real-servers.js'
import { rtpRange } from './rtp-range.js'
import { noteServer } from './server-logs.js'
import { tempFolder } from './temp-folder.js'
import { databaseSetting } from './test-database.js'

const MAIN = new URL('../../../dist/main.js', import.meta.url)

/** A call in the API's form. */
export type WireCall = Readonly<Record<string, unknown>> & {
  readonly sid: string
  readonly status: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * The complete built server as its own process, on free ports, with its own folder and account, and a database
 * on the project's engine. It runs the lab, or uses the real servers that `DRACHTIO_URL` and `FREESWITCH_URL`
 * name, with the lab's phones.
 */
export interface RunningTrunkline extends AsyncDisposable {
  readonly server: ServerChild
  readonly http: string
  readonly admin: string
  readonly adminToken: string
  readonly sipPort: number
  /** Port of SIP over TLS; NaN without TLS. */
  readonly sipTlsPort: number
  readonly account: { readonly sid: string; readonly secret: string }
  readonly folder: string
  /** Sends a request to the voice API; `path` is relative to `/2010-04-01/Accounts/{AccountSid}`. */
  api(method: string, path: string, form?: Readonly<Record<string, string>>): Promise<Answer>
  adminApi(method: string, path: string, body?: unknown): Promise<Answer>
  createCall(form: Readonly<Record<string, string>>): Promise<WireCall>
  fetchCall(sid: string): Promise<WireCall>
  /** Sets the voice URL of a number of the first account. */
  assignNumber(e164: string, routing: Readonly<Record<string, string>>): Promise<void>
  /** Gauges and counters of the private listener by name, without their prefix. */
  metrics(): Promise<Readonly<Record<string, number>>>
}

const hex = () => randomBytes(16).toString('hex')

/** The account that the environment names, or a new one. */
const accountOf = (env: Readonly<Record<string, string>>): RunningTrunkline['account'] => ({
  sid: env['FIRST_ACCOUNT_SID'] ?? `AC${hex()}`,
  secret: env['FIRST_ACCOUNT_TOKEN'] ?? hex(),
})

/**
 * Starts a server. `servers` replace those that the environment names; `start` replaces the way to start the
 * process.
 */
export async function startTrunkline(
  env: Readonly<Record<string, string>> = {},
  servers?: RealServers,
  start: (env: Readonly<Record<string, string>>) => Promise<ServerChild> = (settings) =>
    startServer(settings, MAIN),
): Promise<RunningTrunkline> {
  const real = servers ?? (env['DRACHTIO_URL'] === undefined ? await realServers() : undefined)
  const folder = tempFolder()
  const account = accountOf(env)
  const adminToken = hex()
  const dataDir = env['DATA_DIR'] ?? join(folder.path, 'data')
  const server = await start({
    HTTP_PORT: '0',
    ADMIN_PORT: '0',
    SIP_PORT: '0',
    RTP_PORTS: rtpRange(),
    ADMIN_TOKEN: adminToken,
    DATA_DIR: dataDir,
    ...(await databaseSetting(dataDir)),
    FIRST_ACCOUNT_SID: account.sid,
    FIRST_ACCOUNT_TOKEN: account.secret,
    LOG_LEVEL: 'info',
    DRAIN_SECONDS: '0',
    CALLS_PER_SECOND: '1000',
    // Test machines may be slow at any time; `OverloadControl` has its own tests.
    MAX_CALL_DELAY_MS: '0',
    ...real?.env,
    ...env,
  })
  noteServer(server)
  const trunkline = handleOf({ server, adminToken, account, folder: folder.path, real })
  if (real !== undefined) {
    await trunkline.adminApi('PUT', '/carriers/lab', real.phones)
    // The first account beside a lab has this setting too.
    await trunkline.adminApi('PATCH', `/accounts/${account.sid}`, { intl: true })
  }
  return {
    ...trunkline,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

interface Running {
  readonly server: ServerChild
  readonly adminToken: string
  readonly account: RunningTrunkline['account']
  readonly folder: string
  readonly real?: RealServers | undefined
}

/** Test handle of a running server for one of its accounts. */
export function handleOf({
  server,
  adminToken,
  account,
  folder,
  real,
}: Running): Omit<RunningTrunkline, typeof Symbol.asyncDispose> {
  const { http, admin, sip, sipTls } = server.listening
  const basic = `Basic ${Buffer.from(`${account.sid}:${account.secret}`).toString('base64')}`

  const api = async (method: string, path: string, form?: Readonly<Record<string, string>>) =>
    answerOf(
      await fetch(`${http}/2010-04-01/Accounts/${account.sid}${path}`, {
        method,
        headers: { authorization: basic },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      }),
    )
  const adminApi = async (method: string, path: string, body?: unknown) =>
    answerOf(
      await fetch(`${admin}${path}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )

  const sipPorts = real ?? {
    sipPort: Number(sip?.split(':').at(-1)),
    sipTlsPort: Number(sipTls?.split(':').at(-1)),
  }
  return {
    server,
    http,
    admin,
    adminToken,
    sipPort: sipPorts.sipPort,
    sipTlsPort: sipPorts.sipTlsPort,
    account,
    folder,
    api,
    adminApi,
    createCall: async (form) => callOf(await api('POST', '/Calls.json', form), 201),
    fetchCall: async (sid) => callOf(await api('GET', `/Calls/${sid}.json`), 200),
    assignNumber: async (e164, routing) => {
      const answer = await adminApi('PUT', `/numbers/${encodeURIComponent(e164)}`, {
        accountSid: account.sid,
        ...routing,
      })
      if (answer.status !== 200)
        throw new Error(`number not assigned: ${JSON.stringify(answer.body)}`)
    },
    metrics: async () => {
      const answer = await fetch(`${admin}/metrics`, {
        headers: { authorization: `Bearer ${adminToken}` },
      })
      return metricValues(await answer.text())
    },
  }
}

async function answerOf(answer: Response): Promise<Answer> {
  const text = await answer.text()
  // Both listeners answer with a JSON object, except for 204.
  const body = (text === '' ? {} : JSON.parse(text)) as Answer['body']
  return { status: answer.status, headers: answer.headers, body }
}

function callOf(answer: Answer, status: number): WireCall {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as WireCall
}
