/**
 * The 10DLC registry: brands, campaigns and what belongs to them, under `/v2/csp`. Everything that
 * time brings (scoring, expiry, renewal, deliveries) is a row that a killed process finds again.
 */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Accounts } from '../accounts/accounts.js'
import type { Clock } from '../platform/clock.js'
import type { Database } from '../platform/database/database.js'
import { Disposer } from '../platform/disposer.js'
import type { Outbound } from '../platform/http/outbound.js'
import type { Logger } from '../platform/log.js'
import type { Vault } from '../platform/secrets.js'
import type { Core, RegistryClock } from './core.js'
import { loadTables } from './data/tables.js'
import { Courier } from './events/courier.js'
import { createEmbeddedRegistry } from './providers/embedded-registry.js'
import { createIdempotencyKeys } from './routes/idempotency.js'
import { mountOperations } from './routes/mount-operations.js'
import { DEFAULT_RATE_LIMITS, RateLimiter, type RateLimits } from './routes/rate-limit.js'
import { createUploadReader } from './routes/read-upload.js'
import { registryOperations } from './routes/registry-operations.js'
import { createServices } from './services/create-services.js'
import { runDueJobs } from './services/jobs.js'
import { keepInOutbox, type SendMessage } from './services/messages.js'
import { registryJobs } from './services/registry-jobs.js'
import { Runner } from './services/runner.js'

export interface RegistryDeps {
  readonly db: Database
  readonly accounts: Accounts
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Logger
  readonly outbound: Outbound
  /** For uploads, under DATA_DIR. */
  readonly folder: string
  readonly version: string
  /** What the public listener is reached at, for links in mails. */
  readonly publicUrl: () => string
  /** A folder whose files replace the tables of the same name. */
  readonly tablesFolder?: string
  readonly sendMessage?: SendMessage
  readonly rateLimits?: RateLimits
  /** Tests: an answer that is not what its schema says is an error of ours. */
  readonly checkResponses?: boolean
}

export interface Registry extends AsyncDisposable {
  /** Adds the routes under /v2/csp. */
  mount(app: OpenAPIHono): void
  /** Begins with what is due; without it nothing happens by itself. */
  start(): void
  /** Resolves when nothing is due any more. */
  settle(): Promise<void>
}

export function createRegistry(deps: RegistryDeps): Registry {
  const { db, vault, log } = deps
  const tables = loadTables(deps.tablesFolder)
  const disposer = new Disposer()
  const clock: RegistryClock = deps.clock
  let wake = (): void => undefined
  const core: Core = {
    db,
    tables,
    clock,
    vault,
    log,
    wake: () => {
      wake()
    },
  }
  const provider = createEmbeddedRegistry(tables)
  const services = createServices(core, deps)
  const handlers = registryJobs(core, {
    provider,
    links: { confirmUrl: (token) => `${deps.publicUrl()}/v2/csp/confirm/${token}` },
    sendMessage: deps.sendMessage ?? keepInOutbox,
  })
  const courier = new Courier(core, deps.outbound)
  const deliveries = disposer.use(new Runner(core, (signal) => courier.deliverDue(signal)))
  const jobs = disposer.use(
    new Runner(core, async (signal) => {
      const nextAt = await runDueJobs(core, handlers, signal)
      courier.wake()
      deliveries.wake()
      return nextAt
    }),
  )
  const mount = mountOperations(registryOperations(core, services, deps.version), {
    accounts: deps.accounts,
    cspOf: (account) => services.csps.ofAccount(account),
    readUpload: createUploadReader(tables.limits.maxAttachmentBytes),
    rates: new RateLimiter(deps.rateLimits ?? DEFAULT_RATE_LIMITS, deps.clock),
    idempotency: createIdempotencyKeys(core),
    log,
    checkResponses: deps.checkResponses ?? false,
  })
  const start = (): void => {
    wake = () => {
      jobs.wake()
    }
    wake()
  }
  return {
    mount: (app) => {
      mount(app)
    },
    start,
    settle: async () => {
      await jobs.settle()
      await deliveries.settle()
    },
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  }
}
