/** Reads the URL of a PostgreSQL database; the names of its parameters are those of libpq. */
import { readFileSync } from 'node:fs'

export interface PostgresSettings {
  /** The host, or the folder of the server's Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | undefined
  readonly database: string
  /** The TLS options; undefined for a connection in plain text. */
  readonly tls: PostgresTls | undefined
  /** Maximum connections of this process: half for reads, half for writes. */
  readonly poolSize: number
  /** Time limit for a connection, including the wait for a free one, ms. */
  readonly connectTimeoutMs: number
  /** Time limit of one statement, ms. */
  readonly statementTimeoutMs: number
}

/** The TLS options as node:tls takes them. */
export interface PostgresTls {
  /** Certificates of the authorities that may have signed the server's. */
  readonly ca?: string
  readonly rejectUnauthorized: boolean
  readonly checkServerIdentity?: () => undefined
}

/** The URL is invalid; the message does not show it, since it has a password. */
export class PostgresUrlError extends Error {
  override readonly name = 'PostgresUrlError'
}

const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const
type SslMode = (typeof SSL_MODES)[number]

const PARAMETERS = [
  'host',
  'sslmode',
  'sslrootcert',
  'pool_size',
  'connect_timeout',
  'statement_timeout',
]

export function isPostgresUrl(place: string): boolean {
  return /^postgres(ql)?:\/\//.test(place)
}

/** Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?…`. Throws a `PostgresUrlError`. */
export function readPostgresUrl(text: string): PostgresSettings {
  if (!isPostgresUrl(text) || !URL.canParse(text))
    throw new PostgresUrlError('must be postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  const url = new URL(text)
  for (const name of url.searchParams.keys())
    if (!PARAMETERS.includes(name))
      throw new PostgresUrlError(`has the unknown parameter ${name}, not ${PARAMETERS.join(', ')}`)
  const [user, password, database] = decoded([url.username, url.password, url.pathname.slice(1)])
  const host = url.searchParams.get('host') ?? url.hostname.replace(/^\[|\]$/g, '')
  if (host === '' || user === '' || database === '' || database.includes('/'))
    throw new PostgresUrlError('needs a user, a host and the name of a database')
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    password: password === '' ? undefined : password,
    database,
    tls: tlsOf(url.searchParams, host),
    poolSize: wholeNumber(url, 'pool_size', { fallback: 20, from: 2, to: 500 }),
    connectTimeoutMs: 1_000 * wholeNumber(url, 'connect_timeout', { fallback: 5, from: 1, to: 60 }),
    statementTimeoutMs: wholeNumber(url, 'statement_timeout', {
      fallback: 10_000,
      from: 100,
      to: 600_000,
    }),
  }
}

/** Describes the database by its address, without the password, for people. */
export function describePostgres({ user, host, port, database }: PostgresSettings): string {
  return `PostgreSQL ${user}@${host}:${port}/${database}`
}

/** Returns the URL with a placeholder for its password; the URL must be valid. */
export function withoutPassword(text: string): string {
  const url = new URL(text)
  if (url.password !== '') url.password = 'PASSWORD'
  return url.href
}

function decoded(parts: readonly [string, string, string]): readonly [string, string, string] {
  try {
    const [user, password, database] = parts
    return [decodeURIComponent(user), decodeURIComponent(password), decodeURIComponent(database)]
  } catch {
    throw new PostgresUrlError('has a % that begins no escape: write %25 for it')
  }
}

/**
 * Reads how the connection is protected. Without `sslmode` it is encrypted unless the server is on
 * this machine. `verify-ca` checks who signed the certificate, `verify-full` the host's name as well
 * (https://www.postgresql.org/docs/15/libpq-ssl.html).
 */
function tlsOf(parameters: URLSearchParams, host: string): PostgresTls | undefined {
  const mode = sslModeOf(parameters.get('sslmode') ?? (isHere(host) ? 'disable' : 'require'))
  const file = parameters.get('sslrootcert')
  if (mode === 'disable') return undefined
  const ca = file === null ? undefined : certificate(file)
  const rejectUnauthorized = mode !== 'require' || ca !== undefined
  const anyName = mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }
  return ca === undefined
    ? { rejectUnauthorized, ...anyName }
    : { ca, rejectUnauthorized, ...anyName }
}

function sslModeOf(text: string): SslMode {
  const mode = SSL_MODES.find((each) => each === text)
  if (mode === undefined)
    throw new PostgresUrlError(`has an unknown sslmode, not ${SSL_MODES.join(', ')}`)
  return mode
}

function certificate(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new PostgresUrlError(`names an sslrootcert that cannot be read: ${file}`, { cause })
  }
}

function isHere(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function wholeNumber(
  url: URL,
  name: string,
  range: { readonly fallback: number; readonly from: number; readonly to: number },
): number {
  const text = url.searchParams.get(name) ?? String(range.fallback)
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= range.from && number <= range.to) return number
  throw new PostgresUrlError(`has a ${name} that is not ${range.from} to ${range.to}`)
}
