import type { Surroundings } from '../surroundings.js'

type Row = Readonly<Record<string, string | number | null | undefined>>

/** Prints records as a table; with `isJson`, one line of JSON per record. */
export function showRecords(
  records: readonly object[],
  columns: readonly string[],
  { isJson, print }: Pick<Surroundings, 'print'> & { readonly isJson: boolean },
): void {
  if (isJson) for (const record of records) print(JSON.stringify(record))
  // In the columns that commands name, each cell is a text or a number.
  else for (const line of tableOf(columns, records as readonly Row[])) print(line)
}

/** The lines of a table: column names in capitals, then the rows. */
export function tableOf(columns: readonly string[], rows: readonly Row[]): string[] {
  const cells = rows.map((row) => columns.map((column) => cellOf(row[column])))
  const lines = [columns.map((column) => headOf(column)), ...cells]
  const widths = columns.map((_column, at) =>
    Math.max(...lines.map((line) => (line[at] ?? '').length)),
  )
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** Converts a wire name to words in capitals: `account_sid` and `accountSid` become `ACCOUNT SID`. */
function headOf(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' ').toUpperCase()
}

/** Replaces control characters, which would move the cursor, by spaces. */
function cellOf(value: Row[string]): string {
  if (value === null || value === undefined || value === '') return '-'
  return String(value).replace(/\p{Cc}/gu, ' ')
}

/** Prints one record, one field per line; with `isJson`, as one line of JSON. */
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

/** Prints a list: JSON line by line as it arrives, a table once it is complete. */
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
