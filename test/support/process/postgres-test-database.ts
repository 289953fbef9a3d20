import pg from 'pg'
import { binding } from '../../../src/platform/database/at-rest.js'
import type { Database } from '../../../src/platform/database/database.js'
import { databaseOn } from '../../../src/platform/database/database-on-engine.js'
import type { Engine } from '../../../src/platform/database/engine.js'
import { openPostgres } from '../../../src/platform/database/postgres/open-postgres.js'
import { MIGRATIONS } from '../../../src/wiring/migrations.js'

/**
 * A database with all tables on the run's PostgreSQL server. Its connections stay open between tests: a new one
 * must read the catalogue of more than a hundred tables, and tests that opened their own took six times as long
 * as on SQLite.
 */
export class PostgresTestDatabase {
  readonly name: string
  readonly url: string
  #engine: Promise<Engine> | undefined
  #cleaner: Promise<pg.Client> | undefined

  constructor(name: string, url: string) {
    this.name = name
    this.url = url
  }

  /** Opens it as a server with this node name would. Disposing the result keeps the connections. */
  async open(node: string): Promise<Database> {
    this.#engine ??= openPostgres(
      this.url,
      MIGRATIONS,
      binding((text) => text),
    )
    return databaseOn(viewOf(await this.#engine), node)
  }

  /** Stops everything that a test left running, and deletes its rows. */
  async clear(): Promise<void> {
    this.#cleaner ??= connected(this.url)
    const client = await this.#cleaner
    await this.#endOthers(client)
    const text = await queryOfRows(client)
    const { rows } = await client.query<Changed>({ name: 'changed', text })
    if (rows.length === 0) return
    const changes = rows.map(({ kind, name }) =>
      kind === 'table' ? `delete from ${name}` : `select setval('${name}', 1, false)`,
    )
    // Triggers are disabled: they would count each deleted row.
    const setting = 'set local session_replication_role = replica'
    await client.query(['begin', setting, ...changes, 'commit'].join(';'))
  }

  async close(): Promise<void> {
    const cleaner = await this.#cleaner
    this.#cleaner = undefined
    await cleaner?.end()
    await this.#closeEngine()
  }

  /** Waits until other connections are gone: a pending commit would follow the deletion of rows. */
  async #endOthers(client: pg.Client): Promise<void> {
    const { connections = 0, connections_busy: busy = 0 } = (await this.#engine)?.figures() ?? {}
    const { rows } = await client.query<{ open: number }>(COUNT_CONNECTIONS)
    if (busy === 0 && (rows[0]?.open ?? 0) <= connections + 1) return
    await client.query(END_CONNECTIONS)
    await this.#closeEngine()
  }

  async #closeEngine(): Promise<void> {
    const engine = await this.#engine
    this.#engine = undefined
    await engine?.[Symbol.asyncDispose]()
  }
}

/** An engine for one opened database; closing it leaves the shared engine open. */
function viewOf(engine: Engine): Engine {
  const running = new Set<Promise<unknown>>()
  let isOpen = true
  return {
    ...engine,
    transaction: async (work, isolation) => {
      if (!isOpen) throw new Error('the database is closed')
      const transaction = engine.transaction(work, isolation)
      running.add(transaction)
      try {
        return await transaction
      } finally {
        running.delete(transaction)
      }
    },
    onLost: (listener) => {
      engine.onLost(() => {
        if (isOpen) listener()
      })
    },
    [Symbol.asyncDispose]: async () => {
      isOpen = false
      await Promise.allSettled(running)
    },
  }
}

interface Changed {
  readonly kind: 'table' | 'sequence'
  readonly name: string
}

const COUNT_CONNECTIONS =
  'select count(*)::int as open from pg_stat_activity where datname = current_database()'
const END_CONNECTIONS = `select pg_terminate_backend(pid, 10000) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

/** Selects a query per table that may have rows, and per sequence that may have been used. */
const MAKE_QUERY = `select string_agg(part, ' union all ') as text from (
  select format('select ''table'' as kind, %1$L as name where exists (select 1 from %1$s)',
    format('%I', tablename)) as part
    from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'
  union all
  select format('select ''sequence'', %1$L from %1$s where is_called', format('%I', sequencename))
    from pg_sequences where schemaname = 'public') parts`

/** All databases have the same tables. */
let madeQuery: Promise<string> | undefined

function queryOfRows(client: pg.Client): Promise<string> {
  madeQuery ??= client
    .query<{ text: string }>(MAKE_QUERY)
    .then(({ rows }) => rows[0]?.text ?? "select '' as kind, '' as name where false")
  return madeQuery
}

export async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
