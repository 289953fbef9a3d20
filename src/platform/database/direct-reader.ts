import type { Reader } from './database.js'

/** What an engine adds to a reader that has the rows at once: nothing to wait for, no turn to take. */
export interface DirectRows {
  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[]
}

export type DirectReader = Reader & DirectRows

export function isDirect(read: Reader): read is DirectReader {
  return 'rowsOf' in read
}
