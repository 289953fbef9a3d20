import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { systemClock } from '../../clock.js'
import type { Bind } from '../at-rest.js'
import type { PostgresSettings } from '../postgres-url.js'
import { StorageBusyError, StorageUnavailableError } from '../storage-error.js'
import { TRANSACTION_MARK } from './commit-fate.js'
import {
  ConnectionLostError,
  isLate,
  isUnavailable,
  LostCommitError,
  losesConnection,
  type TransactionMark,
} from './postgres-errors.js'

/** Time after which an idle connection closes, ms. */
const IDLE_MS = 30_000
/** Age at which a connection is replaced, seconds, so that a new address of the host is used. */
const MAX_AGE_SECONDS = 1_800
/** Time that an answer may take beyond the server's own statement limit, ms. */
const ANSWER_MARGIN_MS = 2_000
/**
 * Pause between connection attempts while the server accepts none, ms: each attempt costs it a process and
 * would slow its recovery.
 */
const RECONNECT_MS = 100
/** Maximum number of transactions and reads that wait for a connection. */
const MAX_WAITING = 5_000

/** Object ids of types (pg_type.dat): bool, int8, numeric. */
const NUMBERS = new Map<number, (text: string) => number>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [20, Number],
  [1700, Number],
])

const types: pg.CustomTypesConfig = {
  // The types of pg name only the object ids that it knows; it passes any.
  getTypeParser: (oid: Parameters<typeof pg.types.getTypeParser>[0]): ((text: string) => unknown) =>
    NUMBERS.get(oid) ?? (pg.types.getTypeParser(oid) as (text: string) => unknown),
}

/**
 * Maximum length of a prepared statement, characters; longer ones are batches of varying length and rarely
 * recur.
 */
const MAX_SQL_CHARS = 4_000
/** Maximum number of prepared statements: each connection keeps the plans of all that it has run. */
const MAX_NAMES = 500
const MAX_CANDIDATES = 2_000
/** Number of uses after which a statement is prepared. */
const USES = 3

/** Connection options, with the server's time limits and ours. */
export function connectionOptions(settings: PostgresSettings): pg.ClientConfig {
  const { host, port, user, password, database, tls, statementTimeoutMs } = settings
  return {
    host,
    port,
    user,
    password: password ?? '',
    database,
    ssl: tls ?? false,
    application_name: 'trunkline',
    connectionTimeoutMillis: settings.connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 3 * statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS,
    keepAlive: true,
    types,
  }
}

/**
 * At most `size` connections to one server. A failed connection is discarded. Rejects with a
 * `StorageUnavailableError` when the server cannot serve now, and with a `LostCommitError` for a lost commit.
 */
export class CheckedPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #clients = new WeakMap<pg.PoolClient, CheckedClient>()
  readonly #names = new StatementNames()
  readonly #bind: Bind
  readonly #onLost: () => void
  /** Time before which no new connection is attempted. */
  #connectAt = Number.NEGATIVE_INFINITY
  #lost = 0

  constructor(
    settings: PostgresSettings,
    size: number,
    { bind, onLost }: { readonly bind: Bind; readonly onLost: () => void },
  ) {
    this.#bind = bind
    this.#onLost = onLost
    this.#pool = new pg.Pool({
      ...connectionOptions(settings),
      max: size,
      idleTimeoutMillis: IDLE_MS,
      maxLifetimeSeconds: MAX_AGE_SECONDS,
    })
    // At once: the server may end a connection in the packet that opens it, before `connect` resolves,
    // and without a listener that would end the process.
    this.#pool.on('connect', (client) => {
      this.#check(client)
    })
    // An idle connection that ends; without a listener it would end the process.
    this.#pool.on('error', () => {
      this.#lost += 1
      onLost()
    })
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#pool.totalCount
  }

  /** The number of connections in use. */
  get busy(): number {
    return this.#pool.totalCount - this.#pool.idleCount
  }

  /** The number of transactions and reads that wait for a connection. */
  get waiting(): number {
    return this.#pool.waitingCount
  }

  /** The number of connections that have failed so far. */
  get lost(): number {
    return this.#lost
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#pool.waitingCount >= MAX_WAITING)
      throw new StorageBusyError('too much waits for the database')
    if (this.#pool.idleCount === 0 && systemClock.monotonic() < this.#connectAt)
      throw new StorageUnavailableError('the database cannot be reached')
    try {
      const client = await this.#pool.connect()
      return this.#clients.get(client) ?? this.#check(client)
    } catch (cause) {
      this.#connectAt = systemClock.monotonic() + RECONNECT_MS
      this.#onLost()
      throw new StorageUnavailableError('the database cannot be reached', { cause })
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  /** Handles errors for the client's lifetime: the pool does so only while the client is idle. */
  #check(client: pg.PoolClient): CheckedClient {
    const checked = new CheckedClient(client, {
      names: this.#names,
      bind: this.#bind,
      onLost: this.#onLost,
      onFailed: () => {
        this.#lost += 1
      },
    })
    client.on('error', (error) => {
      checked.fail(error)
    })
    this.#clients.set(client, checked)
    return checked
  }
}

const NOTHING = { command: 'ROLLBACK', rowCount: 0, rows: [] }
const NO_TRANSACTION: TransactionMark = { id: '', timeline: '' }

/** The answer of a pg client, as far as the query builder reads it. */
type Answer<Row> = Awaited<ReturnType<PostgresPoolClient['query']>> & { rows: Row[] }

interface ClientDeps {
  readonly names: StatementNames
  readonly bind: Bind
  readonly onLost: () => void
  readonly onFailed: () => void
}

class CheckedClient {
  readonly #client: pg.PoolClient
  readonly #names: StatementNames
  readonly #bind: Bind
  /** Called when the server may be unreachable: one that answers reads late may accept no writes. */
  readonly #onLost: () => void
  /** Called once when the connection has failed. */
  readonly #onFailed: () => void
  /** The failure because of which the connection is discarded. */
  #fault: Error | undefined
  #transaction: TransactionMark = NO_TRANSACTION
  /** First failed statement of the transaction, which the server then cannot commit. */
  #failure: Error | undefined
  /** True once the commit was sent: whatever the answer, there is nothing to roll back. */
  #hasEnded = false

  constructor(client: pg.PoolClient, { names, bind, onLost, onFailed }: ClientDeps) {
    this.#client = client
    this.#names = names
    this.#bind = bind
    this.#onLost = onLost
    this.#onFailed = onFailed
  }

  query<Row>(text: string, parameters: readonly unknown[]): Promise<Answer<Row>>
  /** Cursors are not used. */
  query(cursor: unknown): never
  query(text: unknown, parameters: readonly unknown[] = []): unknown {
    return this.#query(String(text), parameters)
  }

  /** Marks the connection to be discarded on release. */
  fail(error: Error): void {
    this.#fault ??= error
    this.#onLost()
  }

  release(): void {
    const fault = this.#fault
    this.#fault = undefined
    if (fault !== undefined) this.#onFailed()
    this.#client.release(fault ?? false)
  }

  async #query(text: string, parameters: readonly unknown[]): Promise<unknown> {
    try {
      if (text.startsWith('start transaction')) return await this.#begin(text)
      if (text === 'commit') return await this.#commit()
      if (text === 'rollback') return await this.#rollback()
      return await this.#client.query({
        name: this.#names.of(text),
        text,
        values: parameters.map(this.#bind),
      })
    } catch (error) {
      throw this.#failed(error)
    }
  }

  /** Has no effect when the transaction has ended. */
  async #rollback(): Promise<unknown> {
    if (this.#fault !== undefined || this.#hasEnded) return NOTHING
    return await this.#client.query('rollback')
  }

  /** Reads the transaction's id in the same round trip; it shows later how a lost commit ended. */
  async #begin(text: string): Promise<unknown> {
    this.#transaction = NO_TRANSACTION
    this.#failure = undefined
    this.#hasEnded = false
    // Two statements in one text have two results, which the types of pg do not know.
    const answers = (await this.#client.query(
      `${text}; ${TRANSACTION_MARK}`,
    )) as unknown as readonly pg.QueryResult<TransactionMark>[]
    this.#transaction = answers[1]?.rows[0] ?? NO_TRANSACTION
    return answers[0]
  }

  async #commit(): Promise<unknown> {
    this.#hasEnded = true
    try {
      const answer = await this.#client.query('commit')
      // A transaction in which a statement failed is rolled back, and that is no error of `commit`.
      if (answer.command !== 'COMMIT') throw this.#failure ?? new Error('refused to commit')
      return answer
    } catch (error) {
      if (!losesConnection(error) || error === this.#failure) throw error
      this.#fault = asError(error)
      throw new LostCommitError(this.#transaction, { cause: error })
    }
  }

  #failed(error: unknown): unknown {
    if (error instanceof LostCommitError) return error
    this.#failure ??= asError(error)
    if (losesConnection(error)) {
      this.fail(asError(error))
      return new ConnectionLostError('the connection to the database was lost', { cause: error })
    }
    if (isLate(error)) {
      this.#onLost()
      return new StorageBusyError('the database took too long', { cause: error })
    }
    return isUnavailable(error)
      ? new StorageUnavailableError('the database cannot serve at this moment', { cause: error })
      : error
  }
}

/** Names recurring statements, so that a connection plans each of them once. */
class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #uses = new Map<string, number>()

  /** Returns the statement's name; undefined when it is not worth preparing. */
  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || text.length > MAX_SQL_CHARS || this.#names.size >= MAX_NAMES)
      return known
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (this.#uses.size >= MAX_CANDIDATES) this.#uses.clear()
    this.#uses.set(text, uses)
    if (uses < USES) return undefined
    this.#uses.delete(text)
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
