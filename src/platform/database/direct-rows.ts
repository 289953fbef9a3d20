import type { Reader, Writer } from './database.js'

/** Synchronous reads, for engines that have the rows at once. */
export interface DirectRows {
  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[]
}

export type DirectReader = Reader & DirectRows

/** Synchronous statements in a transaction. */
export interface DirectChanges extends DirectRows {
  /** Runs a statement that returns no rows; returns the number of changed rows. */
  changesOf(sql: string, parameters: readonly unknown[]): number
}

type DirectWriter = Writer & DirectChanges

export function isDirect(read: Reader): read is DirectReader {
  return 'rowsOf' in read
}

export function isDirectWriter(tx: Writer): tx is DirectWriter {
  return 'changesOf' in tx
}
