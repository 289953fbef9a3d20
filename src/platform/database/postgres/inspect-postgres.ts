/** Inspects a PostgreSQL server as this program would use it, without changing anything. */
import pg from 'pg'
import { systemClock } from '../../clock.js'
import { describePostgres, readPostgresUrl } from '../postgres-url.js'
import { connectionOptions } from './checked-pool.js'

export interface PostgresReport {
  /** The user, host, port and database. */
  readonly place: string
  readonly version: string
  readonly majorVersion: number
  readonly encoding: string
  readonly isEncrypted: boolean
  /** True on a standby, and where transactions are read-only by default. */
  readonly isReadOnly: boolean
  /** `off` when an answered commit may be lost in a crash. */
  readonly synchronousCommit: string
  readonly connections: {
    /** Number of connections that this user can still open. */
    readonly left: number
    readonly max: number
    /** Maximum number of connections that this program opens. */
    readonly wanted: number
  }
  /** Server time minus local time, ms. */
  readonly skewMs: number
  readonly roundTripMs: number
  /** True when the user may create tables in the schema. */
  readonly mayCreateTables: boolean
  /** True when pg_trgm is installed or the user may install it. */
  readonly hasTrigrams: boolean
  /** True when the schema has tables of another program. */
  readonly isForeign: boolean
  readonly schema: string
}

/** The server cannot be used; `code` is the SQLSTATE or the system's code of the failure. */
export class PostgresRefusalError extends Error {
  override readonly name = 'PostgresRefusalError'
  readonly place: string
  readonly code: string | undefined

  constructor(place: string, cause: unknown) {
    super(cause instanceof Error && cause.message !== '' ? cause.message : String(cause), { cause })
    this.place = place
    this.code = codeOf(cause)
  }
}

function codeOf(error: unknown): string | undefined {
  const isCoded = error instanceof Error && 'code' in error && typeof error.code === 'string'
  return isCoded ? String(error.code) : undefined
}

/** Rejects with a `PostgresRefusalError` when the server cannot be used. */
export async function inspectPostgres(url: string): Promise<PostgresReport> {
  const settings = readPostgresUrl(url)
  const place = describePostgres(settings)
  const client = new pg.Client(connectionOptions(settings))
  // The failure reaches the query that waits; without a listener it would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const facts = await one<ServerFacts>(client, SERVER_FACTS)
    const askedAt = systemClock.now()
    const { now } = await one<{ now: number }>(client, SERVER_TIME)
    const answeredAt = systemClock.now()
    return {
      place,
      version: facts.version,
      majorVersion: Math.floor(facts.version_number / 10_000),
      encoding: facts.encoding,
      isEncrypted: settings.tls !== undefined,
      isReadOnly: facts.is_read_only === 1,
      synchronousCommit: facts.synchronous_commit,
      connections: { left: facts.left_over, max: facts.max, wanted: settings.poolSize },
      skewMs: Math.round(now - (askedAt + answeredAt) / 2),
      roundTripMs: answeredAt - askedAt,
      mayCreateTables: facts.may_create === 1,
      hasTrigrams: facts.has_trigrams === 1,
      isForeign: facts.is_foreign === 1,
      schema: facts.schema ?? '',
    }
  } catch (error) {
    throw new PostgresRefusalError(place, error)
  } finally {
    await client.end()
  }
}

interface ServerFacts {
  readonly version: string
  readonly version_number: number
  readonly encoding: string
  readonly is_read_only: number
  readonly synchronous_commit: string
  readonly max: number
  readonly left_over: number
  readonly may_create: number
  readonly has_trigrams: number
  readonly is_foreign: number
  readonly schema: string | null
}

const SERVER_TIME = 'select (extract(epoch from clock_timestamp()) * 1000)::numeric as now'

/**
 * The connections left are those of the server, of the role and of the database, whichever are
 * fewer; -1 means no limit of its own (https://www.postgresql.org/docs/15/catalog-pg-authid.html).
 */
const SERVER_FACTS = `
with limits as (
  select
    current_setting('max_connections')::int8
      - current_setting('superuser_reserved_connections')::int8
      - (select count(*) from pg_stat_activity where backend_type = 'client backend') as server,
    case when rolconnlimit < 0 then null else rolconnlimit::int8
      - (select count(*) from pg_stat_activity where usename = current_user) end as role,
    case when datconnlimit < 0 then null else datconnlimit::int8
      - (select count(*) from pg_stat_activity where datname = current_database()) end as database
  from pg_roles, pg_database
  where rolname = current_user and datname = current_database()
)
select
  current_setting('server_version') as version,
  current_setting('server_version_num')::int8 as version_number,
  current_setting('server_encoding') as encoding,
  pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as is_read_only,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('max_connections')::int8 as max,
  (select least(server, role, database) from limits) as left_over,
  current_schema() is not null and has_schema_privilege(current_schema(), 'CREATE') as may_create,
  exists (select 1 from pg_extension where extname = 'pg_trgm')
    or (has_database_privilege(current_database(), 'CREATE')
      and exists (select 1 from pg_available_extensions where name = 'pg_trgm')) as has_trigrams,
  exists (select 1 from information_schema.tables where table_schema = current_schema())
    and not exists (select 1 from information_schema.tables
      where table_schema = current_schema() and table_name = 'schema_migrations') as is_foreign,
  current_schema() as schema
`

async function one<Row extends object>(client: pg.Client, query: string): Promise<Row> {
  const { rows } = await client.query<Row>(query)
  const [row] = rows
  if (row === undefined) throw new Error('the server gave no row')
  return row
}
