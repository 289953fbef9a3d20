/** Classifies PostgreSQL errors (https://www.postgresql.org/docs/15/errcodes-appendix.html). */
import pg from 'pg'
import { StorageUnavailableError } from '../storage-error.js'

/** The connection was lost before the commit: nothing of the transaction is stored. */
export class ConnectionLostError extends StorageUnavailableError {}

/** Names one transaction of one server. */
export interface TransactionMark {
  readonly id: string
  /** The server's timeline; a standby that is promoted starts a new one. */
  readonly timeline: string
}

/** The commit was sent but its answer was lost: the transaction may have committed or not. */
export class LostCommitError extends Error {
  override readonly name = 'LostCommitError'
  /** The id by which the server can tell how the transaction ended. */
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

/** 40001 serialization failure, 40P01 deadlock: the transaction conflicted with another. */
const CROSSED = ['40001', '40P01']
const DEADLOCK = ['40P01']
const UNIQUE_VIOLATION = '23505'

/** True when the connection is unusable: any error that is not an answer of the server. */
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

/** True when the transaction conflicted with another one and a retry may succeed. */
export function isCrossed(error: unknown): boolean {
  return begins(codeWithin(error), CROSSED)
}

/** True for a deadlock with another transaction. */
export function isDeadlock(error: unknown): boolean {
  return begins(codeWithin(error), DEADLOCK)
}

/**
 * True when another row has the key. A retry of the work sees that row, so that a check before the insert
 * decides.
 */
export function isTaken(error: unknown): boolean {
  return codeWithin(error) === UNIQUE_VIOLATION
}

/** Returns the SQLSTATE of a server error; undefined for other errors. */
function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Returns the SQLSTATE of the error or of its cause; empty without one. */
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

/** True when the server has not assigned that transaction id yet. */
export function isUnknownTransaction(error: unknown): boolean {
  return codeWithin(error) === '22023'
}
