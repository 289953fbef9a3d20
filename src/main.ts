/** Composition root: configuration → wiring → run → dispose. The only file that imports everything. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Account, type Accounts, createAccounts } from './accounts/accounts.js'
import { ensureFirstAccount } from './accounts/first-account.js'
import { createAdminApi } from './admin/admin-api.js'
import { LISTENING_PREFIX, type Listening } from './cli/server-child.js'
import { type Config, ConfigError, isLoopback, readConfig } from './config.js'
import { type Lab, startLab } from './lab/start-lab.js'
import { createPhoneNumbers } from './numbers/phone-numbers.js'
import { systemClock as clock } from './platform/clock.js'
import { openDatabase } from './platform/database/database.js'
import { createOutboxStore } from './platform/database/outbox-store.js'
import { Disposer } from './platform/disposer.js'
import { type ListenerApp, startListener } from './platform/http/listener.js'
import { createOutbound, type Outbound } from './platform/http/outbound.js'
import { createPublicApp } from './platform/http/public-app.js'
import { createLogger, type Logger } from './platform/log.js'
import { gaugesOf } from './platform/metrics.js'
import { openVault, readOrCreateToken } from './platform/secrets.js'
import { createDeliverer } from './platform/webhooks/deliver-notification.js'
import { createWebhooks, type Webhooks } from './platform/webhooks/fetch-webhook.js'
import { Outbox } from './platform/webhooks/outbox.js'
import type { OutboxStore } from './platform/webhooks/outbox-row.js'
import { createRegistry, type Registry } from './registry/registry.js'
import { createVoiceApi } from './voice/api/voice-api.js'
import { type Calls, type CallsDeps, createCalls } from './voice/calls/calls.js'
import { createDocumentFetcher } from './voice/calls/document-fetcher.js'
import type { DocumentRunDeps } from './voice/calls/document-run.js'
import { createEventLog, type EventLog } from './voice/calls/event-log.js'
import { finishOrphans } from './voice/calls/finish-orphans.js'
import { runMarkup } from './voice/markup/run-markup.js'
import { connectTelephony } from './voice/media/connect-telephony.js'
import type { Telephony } from './voice/media/port.js'
import { isUp, whenUp } from './voice/media/when-up.js'
import { type Carrier, createCarriers } from './voice/sip/carriers.js'
import { createMediaFetcher } from './voice/speech/fetch-media.js'
import { createMediaCache } from './voice/speech/media-cache.js'
import { createSpeech } from './voice/speech/speech.js'

const VERSION = '0.1.0'
/** Calls are refused until the servers are there; at start they are given this long. */
const SERVERS_LIMIT_MS = 10_000

interface Running extends AsyncDisposable {
  readonly listening: Listening
  readonly firstAccount: Account | undefined
}

async function start(config: Config, log: Logger): Promise<Running> {
  const disposer = new Disposer()
  try {
    return await wire(config, log, disposer)
  } catch (error) {
    await disposer[Symbol.asyncDispose]()
    throw error
  }
}

async function wire(config: Config, log: Logger, disposer: Disposer): Promise<Running> {
  const base = await openBase(config, log, disposer)
  const { dataDir, db, vault, accounts, numbers, events, outbound, webhooks, store } = base
  const outbox = disposer.use(startOutbox({ store, webhooks, accounts, events, log }))

  const lab =
    config.servers.type === 'lab'
      ? disposer.use(await startLab(labOptions(config), log))
      : undefined
  const telephony = disposer.use(await connectTelephony({ ...serverUrls(config, lab), clock, log }))
  const builtIn = lab === undefined ? [] : [labCarrier(lab)]
  const carriers = createCarriers({ db, vault, clock, builtIn })
  const enqueueCallbacks: CallsDeps['enqueueCallbacks'] = (tx, rows) => store.enqueue(tx, rows)
  const orphans = await finishOrphans({ db, clock, enqueueCallbacks })
  if (orphans > 0) log.warn({ orphans }, 'calls that an earlier process left were ended')
  const calls = disposer.use(
    createCalls({
      ...{ db, telephony, carriers, numbers, vault, clock, log, events },
      random: Math.random,
      documents: documentDeps({ dataDir, disposer, outbound, webhooks, accounts, events, log }),
      enqueueCallbacks,
      callbacksCommitted: (accountSid) => {
        outbox.notify(accountSid)
      },
    }),
  )
  await outbox.start()

  let http = ''
  const registry = disposer.use(wireRegistry(config, base, log, () => http))
  const admin = createAdminApi({
    ...{ accounts, numbers, carriers, events, log },
    mount: [{ path: '/registry', app: registry.operator }],
    token: config.admin.token ?? readOrCreateToken(join(dataDir, 'admin-token')),
    metrics: () => readMetrics({ calls, telephony, lab, outbox, outbound }),
  })
  const api = createPublicApp({
    version: VERSION,
    ...(config.publicUrl === undefined ? {} : { url: config.publicUrl }),
    readiness: () => ({ isReady: isUp(telephony), detail: { ...telephony.health } }),
    mount: [
      createVoiceApi({ accounts, calls, vault, log }),
      (app) => {
        registry.mount(app)
      },
    ],
  })
  const listening = {
    ...(await listen(config, { admin, api }, disposer)),
    sip: lab === undefined ? undefined : `${config.sip.host}:${lab.sipPort}`,
  }
  http = listening.http
  registry.start()
  await whenUp(telephony, SERVERS_LIMIT_MS)
  return {
    firstAccount: base.firstAccount,
    listening,
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  }
}

/** What every feature stands on: the database, its keys, and the way out. */
async function openBase(config: Config, log: Logger, disposer: Disposer) {
  const dataDir = resolve(config.dataDir)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = disposer.use(openDatabase(join(dataDir, 'trunkline.db')))
  const vault = openVault(join(dataDir, 'vault.key'))
  const accounts = createAccounts({ db, vault, clock })
  const firstAccountFile = join(dataDir, 'first-account.json')
  const firstAccount = await ensureFirstAccount(accounts, config.firstAccount, firstAccountFile)
  const outbound = disposer.use(createOutbound({ policy: addressPolicy(config), clock, log }))
  return {
    ...{ dataDir, db, vault, accounts, firstAccount, outbound },
    numbers: createPhoneNumbers({ db, clock }),
    events: disposer.use(createEventLog({ db, clock, log })),
    webhooks: createWebhooks({ outbound, clock, version: VERSION }),
    store: createOutboxStore({ db, clock }),
  }
}

function wireRegistry(
  config: Config,
  base: Awaited<ReturnType<typeof openBase>>,
  log: Logger,
  http: () => string,
): Registry {
  return createRegistry({
    ...{ ...base, log, clock, version: VERSION },
    folder: join(base.dataDir, 'registry'),
    tablesFolder: join(base.dataDir, 'registry-tables'),
    publicUrl: () => config.publicUrl ?? http(),
    // Beside the lab nothing is real; an operator may look at what next year brings.
    isClockTurnable: config.servers.type === 'lab',
  })
}

async function listen(
  config: Config,
  apps: { admin: ListenerApp; api: ListenerApp },
  disposer: Disposer,
): Promise<{ http: string; admin: string }> {
  const admin = disposer.use(await startListener(apps.admin, config.admin))
  const http = disposer.use(await startListener(apps.api, config.http))
  return {
    http: `http://${config.http.host}:${http.port}`,
    admin: `http://${config.admin.host}:${admin.port}`,
  }
}

function startOutbox(deps: {
  store: OutboxStore
  webhooks: Webhooks
  accounts: Accounts
  events: EventLog
  log: Logger
}): Outbox {
  const { store, webhooks, accounts, events, log } = deps
  const deliver = createDeliverer({
    webhooks,
    authTokenOf: async (accountSid) => (await accounts.find(accountSid))?.secret,
    onAttempt: (row, attempt) => {
      const callStatus = new Map(row.params).get('CallStatus')
      const ids = { callSid: row.stream, accountSid: row.accountSid }
      events.append({ ...ids, kind: 'callback', detail: { ...attempt, callStatus } })
    },
  })
  return new Outbox({ store, deliver, clock, random: Math.random, log })
}

function documentDeps(deps: {
  dataDir: string
  disposer: Disposer
  outbound: Outbound
  webhooks: Webhooks
  accounts: Accounts
  events: EventLog
  log: Logger
}): DocumentRunDeps {
  const { dataDir, disposer, outbound, webhooks, accounts, events, log } = deps
  const speech = disposer.use(createSpeech({ directory: join(dataDir, 'speech'), clock }))
  const media = disposer.use(
    createMediaCache({
      directory: join(dataDir, 'media'),
      clock,
      fetch: createMediaFetcher(outbound),
    }),
  )
  const playable = ({ path }: { path: string }) => ({ type: 'file', path }) as const
  return {
    runMarkup,
    events,
    log,
    fetchDocument: createDocumentFetcher({ webhooks, accounts, events }),
    fetchMedia: async (url, signal) => playable(await media.fetchMedia(url, signal)),
    synthesise: async (request, signal) => playable(await speech.synthesise(request, signal)),
  }
}

function labOptions(config: Config) {
  const { recordingsDir, commandLog } = config.lab
  return {
    sipHost: config.sip.host,
    sipPort: config.sip.port,
    rtpPorts: config.rtpPorts,
    logLevel: config.logLevel,
    ...(recordingsDir === undefined ? {} : { recordingsDir }),
    ...(commandLog === undefined ? {} : { commandLogFile: commandLog }),
  }
}

function serverUrls(config: Config, lab: Lab | undefined) {
  const { servers } = config
  if (servers.type === 'real')
    return { drachtioUrls: servers.drachtio, freeswitchUrls: servers.freeswitch }
  return { drachtioUrls: [lab?.drachtioUrl ?? ''], freeswitchUrls: [lab?.freeswitchUrl ?? ''] }
}

/** The lab's phones, and everybody on this machine: a softphone or SIPp can call at once. */
function labCarrier(lab: Lab): Carrier {
  const [, host = '127.0.0.1', port = '5060'] = /^sip:(.*):(\d+)$/.exec(lab.phonesUri) ?? []
  return {
    name: 'lab',
    host,
    port: Number(port),
    transport: 'udp',
    prefixes: ['+1500555'],
    priority: 0,
    weight: 1,
    addresses: ['127.0.0.0/8', '::1/128'],
  }
}

function addressPolicy(config: Config) {
  const isLocalLab = config.servers.type === 'lab' && isLoopback(config.http.host)
  return {
    mode: isLocalLab ? ('allow-private' as const) : ('public-only' as const),
    allow: config.allowedPrivateCidrs,
  }
}

async function readMetrics(parts: {
  calls: Calls
  telephony: Telephony
  lab: Lab | undefined
  outbox: Outbox
  outbound: Outbound
}): Promise<Readonly<Record<string, number>>> {
  const { calls, telephony, lab, outbox, outbound } = parts
  return {
    calls_live: calls.liveCount(),
    legs_live: telephony.legCount(),
    callbacks_in_flight: outbox.inFlight,
    outbound_connections: outbound.connections,
    resident_bytes: process.memoryUsage().rss,
    cpu_seconds: process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6,
    active_resources: process.getActiveResourcesInfo().length,
    ...(lab === undefined ? {} : gaugesOf('lab', await lab.stats())),
  }
}

/** What a person needs to know after the start; credentials only when they were just made. */
function greeting(config: Config, { listening, firstAccount }: Running): string {
  const dataDir = resolve(config.dataDir)
  const lines = [
    `voice API        ${listening.http}   (documentation at /docs)`,
    `private listener ${listening.admin}   (token: ADMIN_TOKEN, or ${join(dataDir, 'admin-token')})`,
    listening.sip === undefined
      ? 'telephony        drachtio and FreeSWITCH, as configured'
      : `telephony        the lab: SIP at ${listening.sip}, phones at +15005550001 to +15005550013`,
  ]
  if (firstAccount !== undefined) {
    lines.push(
      `first account    AccountSid ${firstAccount.sid}`,
      `                 AuthToken  ${firstAccount.secret}`,
      `                 kept in ${join(dataDir, 'first-account.json')}; not shown again`,
    )
  }
  return `${lines.join('\n')}\n`
}

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLogger(config.logLevel)
  const running = await start(config, log)
  process.stdout.write(`${LISTENING_PREFIX}${JSON.stringify(running.listening)}\n`)
  process.stdout.write(greeting(config, running))
  const ended = new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        resolve(signal)
      })
  })
  log.info({ signal: await ended }, 'shutting down')
  await running[Symbol.asyncDispose]()
}

main().catch((error: unknown) => {
  const text =
    error instanceof ConfigError
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
  process.stderr.write(`trunkline did not start:\n${text}\n`)
  process.exitCode = 1
})
