/** Composition root: configuration → wiring → run → dispose. Each file of wiring/ makes one feature. */
import { join, resolve } from 'node:path'
import { isPortUpload } from './account-api/account-api.js'
import type { Account } from './accounts/accounts.js'
import { type AdminApiDeps, createAdminApi } from './admin/admin-api.js'
import { LISTENING_PREFIX, type Listening } from './cli/server-child.js'
import { type Config, ConfigError, hostPort, readConfig } from './config.js'
import { type Lab, startLab } from './lab/start-lab.js'
import { mountApi } from './platform/api/mount-api.js'
import { FolderLockedError } from './platform/database/folder-lock.js'
import { SchemaMismatchError } from './platform/database/pending-migrations.js'
import { DatabaseUnreachableError } from './platform/database/storage-error.js'
import { Disposer } from './platform/disposer.js'
import { createPublicApp } from './platform/http/public-app.js'
import { createLogger, type Logger } from './platform/log.js'
import type { Outbox } from './platform/outbox/outbox.js'
import { readOrCreateToken } from './platform/secrets.js'
import { VaultKeyError } from './platform/vault-key/check-vault-key.js'
import type { Porting } from './porting/porting.js'
import type { Registry } from './registry/registry.js'
import type { Calls } from './voice/calls/calls.js'
import { DetectionThread } from './voice/detection/detection-thread.js'
import type { Exports } from './voice/exports/exports.js'
import { whenUp } from './voice/telephony/when-up.js'
import { wireAccountApi } from './wiring/account-api.js'
import { type Base, openBase, systemSurroundings } from './wiring/base.js'
import { wireDocuments } from './wiring/documents.js'
import { wireExports } from './wiring/exports.js'
import { type Files, wireFiles } from './wiring/files.js'
import { openFront } from './wiring/front.js'
import {
  checkCertificate,
  checkLabFolder,
  labCarrier,
  labListenError,
  labOptions,
} from './wiring/lab.js'
import { type Billing, wireLedger } from './wiring/ledger.js'
import { messageApis, type WiredMessages, wireMessages } from './wiring/messages.js'
import { wireMetrics } from './wiring/metrics.js'
import { startOutbox, wireOutbox } from './wiring/outbox.js'
import { wirePorting } from './wiring/porting.js'
import { openPrivateListener, REGISTRY_BASE } from './wiring/private-listener.js'
import { readinessOf } from './wiring/readiness.js'
import { wireRegistry } from './wiring/registry.js'
import { connectServers } from './wiring/servers.js'
import { listenForStopSignals, type StopSignals } from './wiring/stop-signals.js'
import { type Traces, wireTraces } from './wiring/traces.js'
import { VERSION } from './wiring/version.js'
import { type Voice, wireVoice } from './wiring/voice.js'
import { wireVoiceApi } from './wiring/voice-api.js'

/** The time that the telephony servers have to connect at start; calls are refused before that. */
const SERVERS_LIMIT_MS = 10_000

/** Files of this process are 0600 and folders 0700, also where DATA_DIR was made open to everybody. */
const UMASK = 0o077

/** The failures of a start whose message says what to do. */
const FOR_THE_OPERATOR = [
  ConfigError,
  FolderLockedError,
  SchemaMismatchError,
  DatabaseUnreachableError,
  VaultKeyError,
]

interface Running extends AsyncDisposable {
  readonly listening: Listening
  readonly firstAccount: Account | undefined
  readonly calls: Calls
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
  const base = await openBase(config, systemSurroundings(log), disposer)
  const front = disposer.use(await openFront(config.http, base.accountGate))
  const publicUrl = config.publicUrl ?? front.url
  const lab = await openLab(config, log, disposer)
  const { outbox, callbacks } = wireOutbox(base)
  const billing = wireLedger(base, outbox)
  const files = wireFiles(base, publicUrl)
  const telephony = await connectServers(base, lab)
  const voice = await wireVoice(base, {
    telephony,
    keepFiles: files.keep,
    builtInCarriers: lab === undefined ? [] : [labCarrier(lab)],
    callbacks,
    ledger: billing.ledger,
    detections: disposer.use(new DetectionThread({ log })),
    documents: (recordings) => wireDocuments(base, { recordings, baseUrl: publicUrl }),
    baseUrl: publicUrl,
  })
  const registry = await wireRegistry(base, { outbox, ledger: billing.ledger, files, publicUrl })
  const messages = wireMessages(
    base,
    { outbox, callbacks, files, publicUrl, voice },
    billing,
    registry,
  )
  const porting = await wirePorting(base, { outbox, billing, files, registry, publicUrl })
  const exports = await wireExports(base, files.store, voice.recordings)
  const traces = await wireTraces(base, voice)
  const beside = { registry, messages, files, exports, outbox, billing, porting, publicUrl, traces }
  const privateUrl = await servePrivately(base, privateDeps(base, voice, beside, lab))
  const api = publicApp(base, voice, beside)
  front.serve({
    fetch: (...asked) => api.fetch(...asked),
    isUpload: (...asked) => registry.isUpload(...asked) || isPortUpload(...asked),
    lane: (...asked) => api.lane.take(...asked),
  })
  // The requests end before the calls that they are about.
  disposer.use(front)
  startOutbox(base, outbox)
  registry.start()
  messages.start()
  porting.start()
  const listening = listeningOf(front.url, privateUrl, config.sip.host, lab)
  base.lock.note(linesOf(listening))
  await whenUp(telephony, SERVERS_LIMIT_MS)
  return {
    firstAccount: base.firstAccount,
    listening,
    calls: voice.calls,
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  }
}

function listeningOf(http: string, admin: string, host: string, lab: Lab | undefined): Listening {
  const at = (port: number | undefined) =>
    port === undefined ? undefined : hostPort({ host, port })
  return { http, admin, sip: at(lab?.sipPort), sipTls: at(lab?.sipTlsPort) }
}

/** Starts the lab; undefined where real servers are configured. */
async function openLab(config: Config, log: Logger, disposer: Disposer): Promise<Lab | undefined> {
  if (config.servers.type !== 'lab') return undefined
  await checkCertificate(config, log)
  checkLabFolder(config)
  try {
    return disposer.use(await startLab(labOptions(config), log))
  } catch (error) {
    throw labListenError(config, error) ?? error
  }
}

function privateDeps(
  base: Base,
  voice: Voice,
  { registry, messages, files, outbox, billing, porting, traces }: Beside,
  lab: Lab | undefined,
): AdminApiDeps {
  return {
    clock: base.clock,
    accounts: base.accounts,
    accountKeys: base.accountKeys,
    passwords: base.passwords,
    callerIds: voice.callerIds,
    calls: voice.calls,
    sip: voice.sip,
    numbers: base.numbers,
    inventory: base.inventory,
    imports: base.inventoryImports,
    trunks: voice.trunks,
    bindings: voice.registration.bindings,
    servers: voice.servers,
    events: base.events,
    refusedCalls: voice.refusedCalls,
    log: base.log,
    version: VERSION,
    parts: [(gate) => registry.operatorApi(REGISTRY_BASE, gate)],
    token: base.config.admin.token ?? readOrCreateToken(join(base.dataDir, 'admin-token')),
    billing: { ...base, ...billing },
    porting,
    metrics: wireMetrics(base, voice, { outbox, messages, files, billing, lab, traces }),
  }
}

/** Serves the private listener; resolves with its URL. */
async function servePrivately(base: Base, deps: AdminApiDeps): Promise<string> {
  const { admin } = base.config
  const opened = base.disposer.use(await openPrivateListener(createAdminApi(deps), admin))
  const address = { host: admin.host, port: opened.port }
  base.closeToCustomers(address)
  return `http://${hostPort(address)}`
}

interface Beside {
  readonly registry: Registry
  readonly messages: WiredMessages
  readonly files: Files
  readonly exports: Exports
  readonly outbox: Outbox
  readonly billing: Billing
  readonly porting: Porting
  readonly publicUrl: string
  readonly traces: Traces | undefined
}

function publicApp(base: Base, voice: Voice, beside: Beside) {
  const { registry, messages, files, billing } = beside
  const { config, log } = base
  return createPublicApp({
    version: VERSION,
    ...(config.publicUrl === undefined ? {} : { url: config.publicUrl }),
    readiness: () => readinessOf(base, voice, files),
    log,
    mount: [
      wireVoiceApi(base, voice, beside),
      (app) => {
        registry.mount(app)
      },
      (app) => {
        for (const each of messageApis(base, messages)) mountApi(app, each)
        if (files.api !== undefined) mountApi(app, files.api)
        if (billing.paymentApi !== undefined) mountApi(app, billing.paymentApi)
      },
      wireAccountApi(base, voice, beside),
    ],
  })
}

/** The addresses of the listeners, shown when another server is started on the same data folder. */
function linesOf({ http, admin, sip, sipTls }: Listening): string[] {
  const lines = [`voice API ${http}`, `private listener ${admin}`]
  if (sip !== undefined) lines.push(`SIP ${sip}`)
  if (sipTls !== undefined) lines.push(`SIP over TLS ${sipTls}`)
  return lines
}

/** The greeting on the terminal. It shows credentials only when they were just made. */
function greeting(config: Config, { listening, firstAccount }: Running): string {
  const dataDir = resolve(config.dataDir)
  const lines = [
    `voice API        ${listening.http}   (documentation at /docs)`,
    `private listener ${listening.admin}   (token: ADMIN_TOKEN, or ${join(dataDir, 'admin-token')})`,
    listening.sip === undefined
      ? 'telephony        drachtio and FreeSWITCH, as configured'
      : `telephony        the lab: SIP at ${listening.sip}, phones at +15005550001 to +15005550013`,
  ]
  if (listening.sipTls !== undefined)
    lines.push(`                 SIP over TLS at ${listening.sipTls}`)
  if (firstAccount !== undefined) {
    lines.push(
      `first account    AccountSid ${firstAccount.sid}`,
      `                 AuthToken  ${firstAccount.secret}`,
      `                 kept in ${join(dataDir, 'first-account.json')}; not shown again`,
    )
  }
  return `${lines.join('\n')}\n`
}

/**
 * Resolves when the process shall close: at once, or when its calls have ended or their time is
 * over.
 */
async function untilStopped(
  calls: Calls,
  drainSeconds: number,
  { first, hurry }: StopSignals,
  log: Logger,
): Promise<void> {
  const how = await first
  log.info({ how, calls: calls.liveCount() }, 'shutting down')
  if (how === 'at-once') return
  await calls.drain(drainSeconds * 1_000, hurry)
  log.info({ calls: calls.liveCount() }, 'drained')
}

async function main(): Promise<void> {
  process.umask(UMASK)
  const config = readConfig(process.env)
  const log = createLogger(config.logLevel, { format: config.logFormat })
  // The last resort: the calls of the process outlive a fault that no caller awaits.
  process.on('unhandledRejection', (err) => {
    log.error({ err }, 'work failed that nobody awaits')
  })
  const running = await start(config, log)
  const signals = listenForStopSignals()
  process.stdout.write(`${LISTENING_PREFIX}${JSON.stringify(running.listening)}\n`)
  process.stdout.write(greeting(config, running))
  await untilStopped(running.calls, config.drainSeconds, signals, log)
  await running[Symbol.asyncDispose]()
}

main().catch((error: unknown) => {
  const text =
    error instanceof Error && FOR_THE_OPERATOR.some((kind) => error instanceof kind)
      ? error.message
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error)
  process.stderr.write(`trunkline did not start:\n${text}\n`)
  process.exitCode = 1
})
