import { AccountGate } from '../../../src/accounts/account-gate.js'
import type { ProfileChange } from '../../../src/accounts/account-profile.js'
import { type Account, createAccounts } from '../../../src/accounts/accounts.js'
import type { Gate } from '../../../src/platform/api/api.js'
import { DescribedApp } from '../../../src/platform/api/described-app.js'
import { mountApi } from '../../../src/platform/api/mount-api.js'
import type { Database } from '../../../src/platform/database/database.js'
import { createOutbound } from '../../../src/platform/http/outbound.js'
import { createLogger } from '../../../src/platform/log.js'
import { Outbox } from '../../../src/platform/outbox/outbox.js'
import { openVault } from '../../../src/platform/secrets.js'
import { createRegistry, type Registry, type RegistryDeps } from '../../../src/registry/registry.js'
import { quietLedger } from '../billing/quiet-ledger.js'
import { tempFolder } from '../process/temp-folder.js'
import { openTestDatabase } from '../process/test-database.js'

export const START = Date.UTC(2026, 0, 15, 12)
export const DAY = 86_400_000

/** A clock that only the test advances. */
export class TurnableClock {
  #now = START
  now(): number {
    return this.#now
  }
  monotonic(): number {
    return this.#now - START
  }
  turn(ms: number): void {
    this.#now += ms
  }
}

/** Answer fields that tests read by name; each test checks their presence. */
export interface AnswerBody {
  readonly brandId: string
  readonly cspId: string
  readonly campaignId: string
  readonly resellerId: string
  readonly referenceId: string
  readonly uuid: string
  readonly vettingId: string
  readonly identityStatus: string
  readonly displayName: string
  readonly status: string
  readonly totalRecords: number
  readonly category: readonly unknown[]
  readonly records: readonly AnswerBody[]
  readonly mnoMetadata: Readonly<Record<string, unknown>>
  readonly [name: string]: unknown
}

export interface Answer {
  readonly status: number
  readonly body: AnswerBody
  readonly headers: Headers
}

interface RegistryInit {
  readonly method: string
  readonly body?: string | FormData
  readonly headers?: Readonly<Record<string, string>>
}

export interface RegistryFixture extends AsyncDisposable {
  readonly registry: Registry
  readonly db: Database
  readonly clock: TurnableClock
  readonly account: Account
  readonly folder: string
  readonly app: DescribedApp
  /** The operator's API, without authentication here. */
  readonly operator: DescribedApp
  another(name: string, profile?: ProfileChange): Promise<Account>
  /** Sends a request of the account (or of `as`) below /v2/csp. */
  call(method: string, path: string, body?: unknown, as?: Account): Promise<Answer>
  upload(path: string, fileName: string, content: Buffer, as?: Account): Promise<Answer>
  /** Deletes the account. */
  close(): Promise<unknown>
  rename(name: string): Promise<unknown>
  /** Advances the clock and runs due jobs. */
  turn(ms: number): Promise<void>
}

const ANYONE: Gate<unknown> = {
  scheme: undefined,
  identify: () => Promise.resolve(undefined),
  nameOf: () => 'operator',
}

export async function registryFixture(
  options: Partial<RegistryDeps> & { readonly folder?: string } = {},
): Promise<RegistryFixture> {
  const temporary = tempFolder()
  const { folder = temporary.path, ...rest } = options
  const clock = new TurnableClock()
  const log = createLogger(process.env['LOG_LEVEL'] ?? 'error')
  const vault = openVault(`${folder}/key`)
  const db = await openTestDatabase(folder)
  const accounts = createAccounts({ db, vault, clock })
  const outbound = createOutbound({
    policy: { mode: 'allow-private', allow: [] },
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    log,
  })
  const outbox = new Outbox({ db, clock, random: Math.random, log })
  const registry = await createRegistry({
    db,
    accounts,
    accountGate: new AccountGate([], clock),
    vault,
    clock,
    log,
    ledger: quietLedger(),
    outbound,
    outbox,
    folder: `${folder}/registry`,
    version: '0.0.0',
    publicUrl: () => 'http://trunkline.test',
    rateLimits: { readsPerSecond: 1e9, writesPerSecond: 1e9 },
    checkResponses: true,
    ...rest,
  })
  await registry.recover()
  const app = new DescribedApp()
  registry.mount(app)
  const operator = new DescribedApp()
  mountApi(operator, registry.operatorApi('', ANYONE))
  outbox.start()
  registry.start()
  const account = await accounts.create({ friendlyName: 'Test CSP' })
  const send = async (path: string, init: RegistryInit, as: Account): Promise<Answer> => {
    const response = await app.request(`/v2/csp${path}`, {
      ...init,
      headers: { authorization: `Bearer ${as.secret}`, ...init.headers },
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return {
      status: response.status,
      body: (isJson ? JSON.parse(text) : { text }) as AnswerBody, // read by name in tests only
      headers: response.headers,
    }
  }
  return {
    registry,
    db,
    clock,
    account,
    folder,
    app,
    operator,
    another: (name, profile = {}) => accounts.create({ friendlyName: name, profile }),
    call: (method, path, body, as = account) =>
      send(
        path,
        body === undefined
          ? { method }
          : {
              method,
              body: JSON.stringify(body),
              headers: { 'content-type': 'application/json' },
            },
        as,
      ),
    upload: (path, fileName, content, as = account) => {
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(content)]), fileName)
      return send(path, { method: 'POST', body: form }, as)
    },
    close: () => accounts.setStatus(account.sid, 'closed'),
    rename: (friendlyName) => accounts.update(account.sid, { friendlyName }),
    turn: async (ms) => {
      clock.turn(ms)
      await registry.settle()
    },
    [Symbol.asyncDispose]: async () => {
      await registry[Symbol.asyncDispose]()
      await outbox[Symbol.asyncDispose]()
      await outbound[Symbol.asyncDispose]()
      await db[Symbol.asyncDispose]()
      temporary[Symbol.dispose]()
    },
  }
}
