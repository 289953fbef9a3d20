import type { Reader } from './database.js'

/** A reader whose engine has the rows at once, with nothing to wait for and no turn to take. */
export interface DirectReader extends Reader {
  rowsOf(sql: string, parameters: readonly unknown[]): readonly unknown[]
}

export function isDirect(read: Reader): read is DirectReader {
  return 'rowsOf' in read
}
