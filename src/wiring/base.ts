/** Wires the parts that every feature uses: settings, clock, database, keys and outbound requests. */
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AccountGate } from '../accounts/account-gate.js'
import { createAccountKeys } from '../accounts/account-keys.js'
import { type Account, type Accounts, createAccounts } from '../accounts/accounts.js'
import { Passwords } from '../accounts/passwords.js'
import { type Config, ConfigError, hostPort, type ListenAddress } from '../config.js'
import { createGateways } from '../numbers/gateways.js'
import { createInventory } from '../numbers/inventory.js'
import { createInventoryImports } from '../numbers/inventory-imports.js'
import { isLoopback } from '../platform/cidr.js'
import { type Clock, systemClock } from '../platform/clock.js'
import { lockFolder } from '../platform/database/folder-lock.js'
import { openDatabase } from '../platform/database/open-database.js'
import type { Disposer } from '../platform/disposer.js'
import { watchDiskSpace } from '../platform/files/disk-space.js'
import type { AddressPolicy } from '../platform/http/address-policy.js'
import { createOutbound, type Outbound } from '../platform/http/outbound.js'
import {
  createResolver,
  type Resolve,
  type ResolveNaptr,
  type ResolveService,
  resolveNaptr,
  resolveService,
} from '../platform/http/resolver.js'
import type { Logger } from '../platform/log.js'
import { NodeRequests } from '../platform/nodes/node-requests.js'
import { sealedUrls } from '../platform/sealed-urls.js'
import { openVault, readOrCreateNodeId } from '../platform/secrets.js'
import { checkVaultKey } from '../platform/vault-key/check-vault-key.js'
import { createWebhooks } from '../platform/webhooks/fetch-webhook.js'
import { portedNumbers as ported } from '../porting/porting-accounts.js'
import { createRateBook } from '../rating/rate-book.js'
import { createRateImports } from '../rating/rate-imports.js'
import { createApplications } from '../voice/applications/applications.js'
import { createNumberBindings } from '../voice/applications/number-bindings.js'
import { createEventLog } from '../voice/events/event-log.js'
import { MIGRATIONS } from './migrations.js'
import { VERSION } from './version.js'

/** Environment of a server: clock, random numbers, log, storage and DNS. Tests pass their own. */
export interface Surroundings {
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  readonly openDatabase: typeof openDatabase
  readonly resolve: Resolve
  readonly resolveService: ResolveService
  readonly resolveNaptr: ResolveNaptr
}

/** Explanations of system error codes for a folder. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file in its place',
  ENOTDIR: 'there is a file in its path',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'nothing can be written there',
}

/** The environment of a production server. */
export function systemSurroundings(log: Logger): Surroundings {
  return {
    clock: systemClock,
    random: Math.random,
    log,
    openDatabase,
    resolve: createResolver(),
    resolveService,
    resolveNaptr,
  }
}

export type Base = Awaited<ReturnType<typeof openBase>>

export async function openBase(config: Config, surroundings: Surroundings, disposer: Disposer) {
  const { clock, random, log } = surroundings
  const dataDir = resolve(config.dataDir)
  makeFolder('DATA_DIR', dataDir, 0o700)
  const lock = disposer.use(
    lockFolder(dataDir, { now: clock.now(), listeners: configuredListeners(config) }),
  )
  const node = config.database.nodeId ?? readOrCreateNodeId(join(dataDir, 'node-id'))
  const place = config.database.url ?? join(dataDir, 'trunkline.db')
  const keyFile = join(dataDir, 'vault.key')
  const vault = openVault(keyFile)
  const urls = sealedUrls(vault)
  const opened = surroundings.openDatabase(place, MIGRATIONS, node, urls.seal, reportsWait(log))
  const db = disposer.use(await opened)
  await checkVaultKey(db, vault, keyFile)
  const accounts = createAccounts({ db, vault, clock })
  const closed: ListenAddress[] = [config.admin]
  const policy = addressPolicy(config, closed)
  const outbound = disposer.use(
    createOutbound({ policy, clock, log, resolve: surroundings.resolve, openPassword: urls.open }),
  )
  const rateBook = createRateBook({ db, clock })
  return {
    config,
    clock,
    random,
    log,
    disposer,
    resolve: surroundings.resolve,
    resolveService: surroundings.resolveService,
    resolveNaptr: surroundings.resolveNaptr,
    lock,
    dataDir,
    db,
    disk: disposer.use(await watchDiskSpace(dataDir, log)),
    vault,
    nodeRequests: new NodeRequests({ db, clock, log, vault }),
    accounts,
    accountKeys: createAccountKeys({ db, clock }),
    passwords: new Passwords(),
    accountGate: new AccountGate(config.http.trustedProxies, clock),
    firstAccount: await ensureFirstAccount(accounts, config, join(dataDir, 'first-account.json')),
    policy,
    outbound,
    applications: createApplications({ db, clock }),
    rateBook,
    rateImports: createRateImports({ db, clock, accounts, rateBook }),
    inventory: createInventory({ db, clock, ported }),
    gateways: createGateways({ db, clock, ported }),
    inventoryImports: createInventoryImports({ db, clock }),
    numbers: createNumberBindings({ db, clock, claims: config.numberClaims, ported }),
    events: disposer.use(createEventLog({ db, clock, log })),
    webhooks: webhooksOf(config, outbound, clock),
    /** Excludes this listener as a target of customers' URLs. */
    closeToCustomers: (listener: ListenAddress) => {
      closed.push(listener)
    },
  }
}

function reportsWait(log: Logger): (wait: object) => void {
  return (wait) => {
    log.warn({ ...wait, setting: 'DATABASE_URL' }, 'the start waits for PostgreSQL')
  }
}

/** Creates a folder if missing. Throws a `ConfigError` that names the setting. */
export function makeFolder(setting: string, folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { recursive: true, mode })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const reason = REASONS[code]
    if (reason === undefined) throw error
    const text = `${setting}: ${folder} cannot be a folder of this server: ${reason} (${code})`
    throw new ConfigError(text, { cause: error })
  }
}

function webhooksOf({ signatureHeaders }: Config, outbound: Outbound, clock: Clock) {
  return createWebhooks({ outbound, clock, version: VERSION, signatureHeaders })
}

/** Listeners with their configured addresses, noted in the data folder until the real ports are known. */
function configuredListeners({ http, admin }: Config): readonly string[] {
  return [`voice API ${addressOf(http)}`, `private listener ${addressOf(admin)}`]
}

const addressOf = (listener: ListenAddress): string => `http://${hostPort(listener)}`

/**
 * Policy for outbound addresses. Private ones are allowed only with the lab on loopback, while no setting
 * indicates that outsiders can reach the server.
 */
export function addressPolicy(config: Config, closed: readonly ListenAddress[]): AddressPolicy {
  const isOnlyLocal =
    config.servers.type === 'lab' &&
    [config.http, config.admin, config.sip].every(({ host }) => isLoopback(host)) &&
    config.publicUrl === undefined &&
    config.http.trustedProxies.length === 0 &&
    config.allowedPrivateCidrs.length === 0
  return {
    mode: isOnlyLocal ? 'allow-private' : 'public-only',
    allow: config.allowedPrivateCidrs,
    closed: () => closed,
  }
}

/**
 * Policy for addresses in accounts' access lists and gateways. They must be public, as the specification
 * requires, unless they are in a range that the operator allows explicitly.
 */
export function namedPlaces(policy: AddressPolicy): AddressPolicy {
  return { ...policy, mode: 'public-only' }
}

/**
 * Creates one account in a new installation, so that a first call needs no administration. Its credentials are
 * stored in `file` and returned once, for the terminal.
 */
async function ensureFirstAccount(
  accounts: Accounts,
  { firstAccount: wanted, servers }: Pick<Config, 'firstAccount' | 'servers'>,
  file: string,
): Promise<Account | undefined> {
  if ((await accounts.count()) > 0) return undefined
  const account = await accounts.create({
    friendlyName: 'First account',
    // International calls cost nothing in the lab.
    profile: { services: { intl: servers.type === 'lab' } },
    ...(wanted.sid === undefined ? {} : { sid: wanted.sid }),
    ...(wanted.token === undefined ? {} : { secret: wanted.token }),
  })
  const shown = {
    accountSid: account.sid,
    authToken: account.secret,
    username: account.profile.username,
  }
  const text = `${JSON.stringify(shown, null, 2)}\n`
  writeFileSync(file, text, { mode: 0o600 })
  return account
}
