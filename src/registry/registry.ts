/**
 * The 10DLC registry under `/v2/csp`: brands, campaigns and their records. Every scheduled action
 * (scoring, expiry, renewal, delivery) is a stored row, so that a restart resumes it.
 */

import { join } from 'node:path'
import type { AccountGate } from '../accounts/account-gate.js'
import type { Accounts } from '../accounts/accounts.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Api, Gate } from '../platform/api/api.js'
import { createCallerRates, type RateLimits } from '../platform/api/caller-rates.js'
import type { DescribedApp } from '../platform/api/described-app.js'
import { mountApi, uploadsOf } from '../platform/api/mount-api.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { Disposer } from '../platform/disposer.js'
import { createFolderFiles } from '../platform/files/folder-files.js'
import type { FileKind, KeepFiles } from '../platform/files/kept-files.js'
import type { Outbound } from '../platform/http/outbound.js'
import { createIdempotentRequests } from '../platform/idempotency/idempotent-requests.js'
import type { Logger } from '../platform/log.js'
import type { Outbox } from '../platform/outbox/outbox.js'
import { DEFAULT_EVENT_SIGNATURES, type SignatureHeader } from '../platform/outbox/signed-event.js'
import type { Vault } from '../platform/secrets.js'
import { openTurnedClock } from '../platform/turned-clock/turned-clock.js'
import { loadTables, type Tables } from './data/tables.js'
import { createEventChannel } from './events/event-channel.js'
import { runDueJobs } from './jobs/jobs.js'
import { keepInOutbox } from './jobs/messages.js'
import { Runner } from './jobs/runner.js'
import { Core } from './model/core.js'
import type {
  CampaignNumbers,
  MaySend,
  MessagingRecords,
  NumberSource,
  ProvisioningCampaign,
  SendingPermission,
  SendMessage,
} from './model/ports.js'
import { createEmbeddedRegistry } from './providers/embedded-registry.js'
import { createRegistryClient, type UpstreamRegistry } from './providers/registry-client.js'
import type { RegistryProvider } from './providers/registry-provider.js'
import { withUpstream } from './providers/upstream-registry.js'
import { confirmPageOperations } from './routes/brands/confirm-page.js'
import type { RegistryOperation } from './routes/dialect/operation.js'
import { createRegistryUploads } from './routes/dialect/read-upload.js'
import { bodyTooLarge } from './routes/dialect/registry-dialect.js'
import { operatorApi } from './routes/operator/operator-api.js'
import { operatorOperations } from './routes/operator/operator-operations.js'
import { createRegistryGate, registryApi, registryOperations } from './routes/registry-api.js'
import { isDisposable } from './rules/mail.js'
import { createMaySend } from './services/campaigns/sending.js'
import { createServices, type Services } from './services/create-services.js'
import { registryJobs } from './services/registry-jobs.js'

export type { CampaignNumbers, MaySend, MessagingRecords, ProvisioningCampaign, SendingPermission }

const DEFAULT_RATE_LIMITS: RateLimits = { readsPerSecond: 20, writesPerSecond: 5 }

export interface RegistryDeps {
  readonly db: Database
  readonly accounts: Accounts
  readonly accountGate: AccountGate
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Logger
  /** The ledger that stores the registry's charges. */
  readonly ledger: Pick<Ledger, 'post'>
  readonly outbound: Outbound
  /** The outbox that delivers events; the caller starts it after creating the registry. */
  readonly outbox: Outbox
  /** The headers with an event's signature; the default header unless given. */
  readonly signatures?: readonly SignatureHeader[]
  /** The folder for uploads, under DATA_DIR. */
  readonly folder: string
  /** Stores uploaded files; without it, only `folder` has them. */
  readonly keepFiles?: KeepFiles
  readonly version: string
  /** The address of the public listener, for links in mails. */
  readonly publicUrl: () => string
  /** A folder whose files replace the built-in tables of the same name. */
  readonly tablesFolder?: string
  readonly sendMessage?: SendMessage
  readonly numberSource?: NumberSource
  /** Scores brands; by default the embedded registry does, by its rules. */
  readonly judge?: Pick<RegistryProvider, 'scoreBrand'>
  /** A registry in another system that campaigns can be shared with. */
  readonly upstream?: UpstreamRegistry
  /** True lets the operator advance the registry's clock, permanently, to test expiry and renewal. */
  readonly isClockTurnable?: boolean
  readonly rateLimits?: RateLimits
  /** Tests only: an answer that does not match its schema is an internal error. */
  readonly checkResponses?: boolean
}

export interface Registry extends AsyncDisposable {
  /** Adds the routes under /v2/csp. */
  mount(app: DescribedApp): void
  /**
   * True for a request whose body is streamed under its own size limit; the public listener does
   * not read it.
   */
  readonly isUpload: (method: string, path: string) => boolean
  /** The served operations; the documentation is generated from them. */
  readonly operations: readonly RegistryOperation[]
  /** The operator's operations below `base`. The private listener's gate admits the operator. */
  operatorApi(base: string, gate: Gate<unknown>): Api<unknown>
  /** Resolves with whether a number may send, its rate per operator, and its STOP and HELP texts. */
  readonly maySend: MaySend
  /** ZIP code ranges of the states of the USA, for address checks. */
  readonly usStates: Tables['usStates']
  /** True for an address at a disposable mail service; the registry accepts no such address. */
  isDisposableMail(address: string): boolean
  /** Moves numbers to campaigns and releases them; the numbering API uses it. */
  readonly numbers: CampaignNumbers
  /** Registers and shows brands and campaigns for number provisioning. */
  readonly messaging: MessagingRecords
  /** Repairs work that a crash interrupted; called once, before any request. */
  recover(): Promise<void>
  /** Starts the jobs, the due ones at once. No job runs before this call. */
  start(): void
  /** Resolves when no work is due. */
  settle(): Promise<void>
}

export async function createRegistry(deps: RegistryDeps): Promise<Registry> {
  const { db, vault, log } = deps
  const tables = loadTables(deps.tablesFolder)
  const provider = providerOf(deps, tables)
  const disposer = new Disposer()
  const turned =
    deps.isClockTurnable === true ? await openTurnedClock(db, 'registry', deps.clock) : undefined
  const clock = turned ?? deps.clock
  const jobs = disposer.use(new Runner({ clock, log }))
  const { outbox, outbound, signatures = DEFAULT_EVENT_SIGNATURES } = deps
  const events = outbox.open(createEventChannel({ db, vault, clock, outbound, signatures }))
  const core = new Core(
    { db, tables, clock, vault, log, ledger: deps.ledger, events, upstream: provider.upstream },
    jobs,
  )
  const { keepFiles = (kind: FileKind) => createFolderFiles(kind, log) } = deps
  const services = createServices(core, { ...deps, keepFiles, signatures })
  const handlers = registryJobs(core, {
    provider,
    links: { confirmUrl: (token) => `${deps.publicUrl()}/v2/csp/confirm/${token}` },
    sendMessage: deps.sendMessage ?? keepInOutbox,
    attachments: services.attachments,
  })
  const operations = registryOperations(core, services, deps.version)
  const api = apiOf(core, services, operations, deps)
  return {
    mount: (app) => {
      mountApi(app, api)
    },
    isUpload: uploadsOf(api),
    operations,
    operatorApi: (base, gate) =>
      operatorApi(operatorOperations(core, services, turned), base, gate, log),
    recover: async () => {
      await services.attachments.recover()
      await services.assets.recover()
    },
    maySend: createMaySend(core),
    usStates: tables.usStates,
    isDisposableMail: (address) => isDisposable(address, tables),
    numbers: services.numbers,
    messaging: services.messaging,
    start: () => {
      jobs.start(async (signal) => {
        const nextAt = await runDueJobs(core, handlers, signal)
        // The jobs may have added events to the outbox.
        events.wake()
        return nextAt
      })
    },
    settle: async () => {
      await jobs.settle()
      await outbox.settled()
    },
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  }
}

function providerOf({ upstream, outbound, judge }: RegistryDeps, tables: Tables): RegistryProvider {
  const embedded = { ...createEmbeddedRegistry(tables), ...judge }
  if (upstream === undefined) return embedded
  return withUpstream(embedded, createRegistryClient(outbound, upstream), upstream)
}

function apiOf(
  core: Core,
  services: Services,
  operations: readonly RegistryOperation[],
  deps: RegistryDeps,
) {
  const { maxAttachmentBytes } = core.tables.limits
  return registryApi({
    operations: [...operations, ...confirmPageOperations(services.confirmation)],
    gate: createRegistryGate(deps.accounts, deps.accountGate, (account) =>
      services.csps.ofAccount(account),
    ),
    readUpload: createRegistryUploads(join(deps.folder, 'uploads'), maxAttachmentBytes),
    rates: createCallerRates(deps.rateLimits ?? DEFAULT_RATE_LIMITS, deps.clock),
    idempotency: createIdempotentRequests(core.db, core.clock, core.vault),
    log: deps.log,
    checkAnswers: deps.checkResponses ?? false,
  })
}

/**
 * The registry's answer to a body above the listener's size limit, in the format of its own limit;
 * undefined for a path outside `base`.
 */
export function registryTooLarge({ url }: Request, base = '/v2/csp'): Response | undefined {
  if (!new URL(url).pathname.startsWith(`${base}/`)) return undefined
  const { status, body } = bodyTooLarge()
  return Response.json(body, { status })
}
