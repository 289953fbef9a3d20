/** Checks the PostgreSQL server that `DATABASE_URL` names. */
import {
  inspectPostgres,
  PostgresRefusalError,
  type PostgresReport,
} from '../../../platform/database/postgres/inspect-postgres.js'
import { type Finding, fail, ok, warn } from './finding.js'

const OLDEST_MAJOR = 13
/** Claims of nodes allow for clocks that differ by 150 seconds; a tenth of it asks for a look. */
const MAX_SKEW_MS = 15_000
const SLOW_MS = 50

export async function checkPostgres(url: string): Promise<readonly Finding[]> {
  let report: PostgresReport
  try {
    report = await inspectPostgres(url)
  } catch (error) {
    if (!(error instanceof PostgresRefusalError)) throw error
    return [refused(error)]
  }
  return [
    database(report),
    isolation(report),
    connections(report),
    clock(report),
    ...privileges(report),
  ]
}

/** Advice for a refusal, by SQLSTATE (errcodes-appendix) or system error code. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'start the server, or correct the host and port of DATABASE_URL',
  ENOTFOUND: 'correct the host of DATABASE_URL: no address is known for it',
  EAI_AGAIN: 'no name server answered: correct the host of DATABASE_URL, or the network',
  ENOENT: 'correct the folder of the socket in DATABASE_URL, or start the server',
  EHOSTUNREACH: 'correct the host of DATABASE_URL, or the network',
  '28P01': 'correct the password of DATABASE_URL; a % or @ in it is written as %25 or %40',
  '28000': 'let pg_hba.conf of the server admit this user from this address',
  '3D000': 'make the database: createdb --owner USER NAME',
  '42501': 'give the user the right to connect: grant connect on database NAME to USER',
  '53300': 'all connections are taken: raise max_connections, or set a smaller pool_size',
  '57P03': 'the server starts or stops: ask again in a moment',
}
const OTHER_ADVICE = 'a firewall may drop the connection; see the log of the PostgreSQL server'

function refused({ place, message, code }: PostgresRefusalError): Finding {
  return fail('database', `cannot use ${place}: ${message}`, ADVICE[code ?? ''] ?? OTHER_ADVICE)
}

function database(report: PostgresReport): Finding {
  const { place, version, majorVersion, encoding, isEncrypted, isForeign, roundTripMs } = report
  const text = `${place.replace('PostgreSQL', `PostgreSQL ${version} as`)}, ${
    isEncrypted ? 'encrypted' : 'in plain text'
  }, answers in ${roundTripMs} ms`
  if (majorVersion < OLDEST_MAJOR)
    return fail('database', text, `PostgreSQL ${OLDEST_MAJOR} or later is needed: upgrade it`)
  if (encoding !== 'UTF8')
    return fail('database', `${text}, with the encoding ${encoding}`, 'createdb --encoding UTF8')
  if (isForeign)
    return fail(
      'database',
      `${text}, with tables of another program`,
      'give DATABASE_URL a database of its own: createdb --owner USER NAME',
    )
  return roundTripMs > SLOW_MS
    ? warn('database', text, 'keep the database near the server: each call writes several times')
    : ok('database', text)
}

function isolation({ isReadOnly, synchronousCommit }: PostgresReport): Finding {
  if (isReadOnly)
    return fail(
      'transactions',
      'read-only: this is a standby, or transactions are set to be read-only',
      'name the primary in DATABASE_URL, or an address that follows it',
    )
  const text = `serializable, synchronous_commit is ${synchronousCommit}`
  return synchronousCommit === 'off'
    ? warn('transactions', text, 'an answered write may be lost in a crash: set it on for the user')
    : ok('transactions', text)
}

function connections({ connections: { left, max, wanted } }: PostgresReport): Finding {
  const text = `${left} left of ${max}; a server takes up to ${wanted}`
  return left >= wanted
    ? ok('connections', text)
    : warn(
        'connections',
        text,
        'a server that runs has its own already; else raise max_connections, or set pool_size',
      )
}

function clock({ skewMs }: PostgresReport): Finding {
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1)
  const text = `${seconds} s ${skewMs < 0 ? 'behind' : 'ahead of'} the clock here`
  return Math.abs(skewMs) <= MAX_SKEW_MS
    ? ok('database clock', text)
    : warn('database clock', text, 'let NTP set both clocks: nodes compare the times of claims')
}

function privileges({ mayCreateTables, hasTrigrams, schema }: PostgresReport): Finding[] {
  if (!mayCreateTables)
    return [
      fail(
        'privileges',
        `the user may make no tables in the schema ${schema === '' ? 'of its search path' : schema}`,
        'make the user the owner of the database: alter database NAME owner to USER',
      ),
    ]
  return [
    hasTrigrams
      ? ok('privileges', `the user may make tables in the schema ${schema}; pg_trgm is at hand`)
      : fail(
          'privileges',
          'the extension pg_trgm is not there, and the user may not create it',
          'install it (Debian: part of postgresql), and as a superuser: create extension pg_trgm',
        ),
  ]
}
