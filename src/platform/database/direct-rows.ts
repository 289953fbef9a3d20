import type { Reader, Writer } from './database.js'

/** What an engine adds to a reader that has the rows at once: nothing to wait for, no turn to take. */
export interface DirectRows {
  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[]
}

export type DirectReader = Reader & DirectRows

/** What an engine adds to a transaction that runs a statement at once. */
export interface DirectChanges extends DirectRows {
  /** Runs a statement that answers no rows; returns the number of rows that it changed. */
  changesOf(sql: string, parameters: readonly unknown[]): number
}

type DirectWriter = Writer & DirectChanges

export function isDirect(read: Reader): read is DirectReader {
  return 'rowsOf' in read
}

export function isDirectWriter(tx: Writer): tx is DirectWriter {
  return 'changesOf' in tx
}
