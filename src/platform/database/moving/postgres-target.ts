import pg from 'pg'
import type { Migration } from '../migration.js'
import { pendingMigrations } from '../pending-migrations.js'
import { connectionOptions } from '../postgres/checked-pool.js'
import { migratePostgres } from '../postgres/migrate-postgres.js'
import { isUnavailable } from '../postgres/postgres-errors.js'
import { MOVE_PROGRESS } from '../postgres/unfinished-move.js'
import { describePostgres, type PostgresSettings } from '../postgres-url.js'
import { DatabaseUnreachableError } from '../storage-error.js'
import { MoveError } from './move-error.js'
import {
  filledTable,
  type MovedTable,
  setCounters,
  tablesWithTriggers,
} from './postgres-catalogue.js'
import type { RowKey } from './sqlite-source.js'
import { sqlOfSums, sumsOf, type TableSums } from './table-sums.js'

/** Advisory lock of the one process that moves a database: "moves" in hexadecimal. */
const LOCK = 0x6d6f766573
/** Time in which the server notices that a killed client is gone, ms. */
const LOCK_LIMIT_MS = 15_000

/** Progress of a table; the key is that of its last stored row. */
export interface TableMark {
  readonly after: RowKey | undefined
  readonly rows: number
}

const CREATE_MARKS = `create table ${MOVE_PROGRESS} (
  source text not null, table_name text primary key, after_key text not null, rows bigint not null
)`
const SET_MARK = `insert into ${MOVE_PROGRESS} (source, table_name, after_key, rows)
values ($1, $2, $3, $4) on conflict (table_name)
do update set after_key = excluded.after_key, rows = excluded.rows`
/** The mark that names the source before any table has rows. */
const FIRST_MARK = ''

/** Connection methods for COPY that the types of pg omit. */
interface CopyingConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** The PostgreSQL database to move into, over one connection. Servers refuse it until `finish`. */
export class PostgresTarget implements AsyncDisposable {
  readonly #client: pg.Client
  readonly #source: string
  readonly #marks = new Map<string, TableMark>()
  #isLost = false
  /** True when an earlier run has moved a part. */
  readonly isResumed: boolean

  private constructor(client: pg.Client, source: string, isResumed: boolean) {
    this.#client = client
    this.#source = source
    this.isResumed = isResumed
    client.on('error', () => {
      this.#isLost = true
    })
  }

  /**
   * Creates the tables of an empty database, or resumes an earlier move from the same `source`. Rejects with a
   * `MoveError` when the database has other rows.
   */
  static async open(
    settings: PostgresSettings,
    migrations: readonly Migration[],
    source: string,
  ): Promise<PostgresTarget> {
    const client = await connected(settings)
    try {
      await takeTurn(client, settings)
      const isResumed = await hasTable(client, MOVE_PROGRESS)
      if (isResumed) await checkUnfinished(client, { settings, migrations, source })
      else await begin(client, { settings, migrations, source })
      const target = new PostgresTarget(client, source, isResumed)
      await target.#readMarks()
      // A crash of the server loses the last rows and their marks alike.
      await client.query('set synchronous_commit = off')
      return target
    } catch (error) {
      await client.end()
      throw error
    }
  }

  get client(): pg.Client {
    return this.#client
  }

  /** True for a failure that a retry may not meet, such as a lost connection. */
  isAway(error: unknown): boolean {
    return this.#isLost || (error instanceof pg.DatabaseError && isUnavailable(error))
  }

  markOf(table: string): TableMark {
    return this.#marks.get(table) ?? { after: undefined, rows: 0 }
  }

  /** Stores rows, in the text format of COPY, and the table's progress in one transaction. */
  async store(
    { target, source, columns }: MovedTable,
    rows: string,
    mark: TableMark,
  ): Promise<void> {
    await this.#client.query('begin')
    await copyIn(
      this.#client,
      target,
      columns.map(({ name }) => name),
      rows,
    )
    const { name } = source
    await this.#client.query(SET_MARK, [this.#source, name, JSON.stringify(mark.after), mark.rows])
    await this.#client.query('commit')
  }

  async sums({ source, columns }: MovedTable): Promise<TableSums> {
    const { rows } = await this.#client.query<Record<string, string>>(
      sqlOfSums(source.name, columns),
    )
    return sumsOf(rows[0] ?? {})
  }

  /** Completes the database, so that servers accept it. */
  async finish(): Promise<void> {
    await this.#client.query('analyze')
    await this.#client.query('begin')
    await this.#client.query('set local synchronous_commit = on')
    await setCounters(this.#client)
    for (const table of await tablesWithTriggers(this.#client))
      await this.#client.query(`alter table "${table}" enable trigger user`)
    await this.#client.query(`drop table ${MOVE_PROGRESS}`)
    await this.#client.query('commit')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }

  async #readMarks(): Promise<void> {
    const { rows } = await this.#client.query<{
      table_name: string
      after_key: string
      rows: number
    }>(`select table_name, after_key, rows from ${MOVE_PROGRESS} where table_name <> $1`, [
      FIRST_MARK,
    ])
    // Only `store` writes it.
    for (const { table_name: name, after_key: key, rows: count } of rows)
      this.#marks.set(name, { after: JSON.parse(key) as RowKey, rows: count })
  }
}

/** `COPY … FROM STDIN` with all rows at once, in the text format. */
class CopyIn extends pg.Query {
  readonly #rows: Buffer

  constructor(statement: string, rows: Buffer) {
    super(statement)
    this.#rows = rows
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    connection.sendCopyFromChunk(this.#rows)
    connection.endCopyFrom()
  }
}

/**
 * Stores rows in a table, all or none; rejects with the server's error. COPY was measured against rows in one
 * JSON parameter (three quarters of its rate) and multi-row inserts (half).
 */
function copyIn(
  client: pg.Client,
  table: string,
  columns: readonly string[],
  rows: string,
): Promise<void> {
  const names = columns.map((column) => `"${column}"`).join(', ')
  const query = new CopyIn(`copy "${table}" (${names}) from stdin`, Buffer.from(rows))
  return new Promise((resolve, reject) => {
    query.once('end', () => {
      resolve()
    })
    query.once('error', reject)
    client.query(query)
  })
}

interface Wanted {
  readonly settings: PostgresSettings
  readonly migrations: readonly Migration[]
  readonly source: string
}

/** Connects without a statement timeout: an index or a checksum of many rows takes long. */
async function connected(settings: PostgresSettings): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionOptions(settings),
    statement_timeout: 0,
    query_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    lock_timeout: LOCK_LIMIT_MS,
  })
  // The failure reaches the waiting query; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (cause) {
    await client.end()
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
    throw new DatabaseUnreachableError(`cannot use ${describePostgres(settings)}: ${reason}`, {
      cause,
    })
  }
}

async function takeTurn(client: pg.Client, settings: PostgresSettings): Promise<void> {
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
  } catch (cause) {
    throw new MoveError(
      `another process moves a database into ${describePostgres(settings)}: wait for it, or stop it`,
      { cause },
    )
  }
}

async function begin(client: pg.Client, { settings, migrations, source }: Wanted): Promise<void> {
  await migratePostgres(settings, migrations)
  const filled = await filledTable(client)
  if (filled !== undefined)
    throw new MoveError(
      `${describePostgres(settings)} holds other rows already (in ${filled}): give an empty ` +
        'database, for example one that `createdb` has just made',
    )
  await client.query('begin')
  await client.query(CREATE_MARKS)
  await client.query(SET_MARK, [source, FIRST_MARK, 'null', 0])
  // The counts that they maintain are rows of the source; row by row they would cost far more.
  for (const table of await tablesWithTriggers(client))
    await client.query(`alter table "${table}" disable trigger user`)
  await client.query('commit')
}

/** Checks that an unfinished move came from this version and this source. */
async function checkUnfinished(
  client: pg.Client,
  { settings, migrations, source }: Wanted,
): Promise<void> {
  const place = describePostgres(settings)
  const again = 'drop that database, make an empty one, and move again'
  const applied = await client.query<{ name: string }>('select name from schema_migrations')
  const names = new Set(applied.rows.map(({ name }) => name))
  if (pendingMigrations(migrations, names, place).length > 0)
    throw new MoveError(`an older trunkline has moved a part of a database into ${place}: ${again}`)
  const marks = await client.query<{ source: string }>(`select source from ${MOVE_PROGRESS}`)
  if (marks.rows.some((mark) => mark.source !== source))
    throw new MoveError(`${place} has a part of another database: ${again}`)
}

async function hasTable(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query(
    'select 1 from information_schema.tables where table_schema = current_schema() and table_name = $1',
    [name],
  )
  return rows.length > 0
}
