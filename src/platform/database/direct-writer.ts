import type { Writer } from './database.js'
import type { DirectRows } from './direct-reader.js'

/** What an engine adds to a transaction that runs a statement at once. */
export interface DirectChanges extends DirectRows {
  /** Runs a statement that answers no rows; returns the number of rows that it changed. */
  changesOf(sql: string, parameters: readonly unknown[]): number
}

export type DirectWriter = Writer & DirectChanges

export function isDirectWriter(tx: Writer): tx is DirectWriter {
  return 'changesOf' in tx
}
