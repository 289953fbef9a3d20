/** Tells apart the failures of PostgreSQL (https://www.postgresql.org/docs/15/errcodes-appendix.html). */
import pg from 'pg'
import { StorageUnavailableError } from '../storage-error.js'

/** The connection ended before the commit: nothing of its transaction is stored. */
export class ConnectionLostError extends StorageUnavailableError {}

/** Names one transaction of one server. */
export interface TransactionMark {
  readonly id: string
  /** The timeline of the server, which a standby that takes over leaves for a new one. */
  readonly timeline: string
}

/** The commit was sent and its answer was lost: the transaction may have ended either way. */
export class LostCommitError extends Error {
  override readonly name = 'LostCommitError'
  /** The id of the transaction, by which the server can say how it ended. */
  readonly transaction: TransactionMark

  constructor(transaction: TransactionMark, options: { readonly cause: unknown }) {
    super('the answer to a commit was lost', options)
    this.transaction = transaction
  }
}

/** Classes and codes that end the connection: 08 connection, 57P shutdown and start, 25P time-outs. */
const CONNECTION_LOST = ['08', '57P01', '57P02', '57P03', '57P05', '25P03', '25P04']

/**
 * Classes and codes of a server that cannot serve now: 53 resources (disk full, too many
 * connections), 58 system, 25006 a read-only standby.
 */
const UNAVAILABLE = [...CONNECTION_LOST, '53', '58', '25006']
/** 57014 statement time-out, 55P03 lock time-out. */
const LATE = ['57014', '55P03']

/** 40001 serialization failure, 40P01 deadlock: the transaction crossed another one. */
const CROSSED = ['40001', '40P01']
const DEADLOCK = ['40P01']
const UNIQUE_VIOLATION = '23505'

/** True when the connection cannot be used again. What is no answer of the server is its loss. */
export function losesConnection(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || begins(code, CONNECTION_LOST)
}

/** True when the same statement may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || begins(code, UNAVAILABLE)
}

/** True when the server took too long over this statement. */
export function isLate(error: unknown): boolean {
  return begins(codeWithin(error), LATE)
}

/** True when the transaction crossed another one and may succeed when it runs again. */
export function isCrossed(error: unknown): boolean {
  return begins(codeWithin(error), CROSSED)
}

/** True when the transaction and another one waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return begins(codeWithin(error), DEADLOCK)
}

/**
 * True when another row has the key. The work that runs again sees that row, so a check before an
 * insert then decides.
 */
export function isTaken(error: unknown): boolean {
  return codeWithin(error) === UNIQUE_VIOLATION
}

/** The SQLSTATE of an answer of the server; undefined when the error is none. */
function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** The SQLSTATE of the error or of what caused it; empty without one. */
function codeWithin(error: unknown): string {
  for (
    let each = error, depth = 0;
    each instanceof Error && depth < 5;
    each = each.cause, depth += 1
  )
    if (each instanceof pg.DatabaseError) return each.code ?? ''
  return ''
}

function begins(code: string, starts: readonly string[]): boolean {
  return starts.some((start) => code.startsWith(start))
}

/** True when the server has not given that transaction id yet. */
export function isUnknownTransaction(error: unknown): boolean {
  return codeWithin(error) === '22023'
}
