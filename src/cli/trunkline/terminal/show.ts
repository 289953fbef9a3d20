import type { Surroundings } from '../surroundings.js'
import { type Row, tableOf } from './table.js'

/** Shows records as a table; with `isJson`, each as one line of JSON. */
export function showRecords(
  records: readonly object[],
  columns: readonly string[],
  { isJson, print }: Pick<Surroundings, 'print'> & { readonly isJson: boolean },
): void {
  if (isJson) for (const record of records) print(JSON.stringify(record))
  // A cell is text or a number in each of the columns that commands name.
  else for (const line of tableOf(columns, records as readonly Row[])) print(line)
}

/** Shows one record, a field a line; with `isJson`, as one line of JSON. */
export function showRecord(
  record: object,
  { isJson, print }: Pick<Surroundings, 'print'> & { readonly isJson: boolean },
): void {
  if (isJson) {
    print(JSON.stringify(record))
    return
  }
  const fields = Object.entries(record)
  const width = Math.max(...fields.map(([name]) => name.length))
  for (const [name, value] of fields) print(`${name.padEnd(width)}  ${textOf(value)}`)
}

/** Shows a list as it comes: JSON at once, a table when it is complete. */
export async function showList(
  found: AsyncIterable<object>,
  columns: readonly string[],
  context: Pick<Surroundings, 'print'> & { readonly isJson: boolean },
): Promise<void> {
  const records: object[] = []
  for await (const record of found)
    if (context.isJson) showRecord(record, context)
    else records.push(record)
  if (!context.isJson) showRecords(records, columns, context)
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return typeof value === 'string' ? value.replace(/\p{Cc}/gu, ' ') : JSON.stringify(value)
}
