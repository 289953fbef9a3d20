/** Writes rows as columns that line up. Pure. */
export type Row = Readonly<Record<string, string | number | null | undefined>>

/** The lines of a table: the columns' names in capitals, then the rows. */
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

/** Words of a wire name in capitals: `account_sid` and `accountSid` are `ACCOUNT SID`. */
function headOf(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' ').toUpperCase()
}

/** A control character of a peer's text would move the cursor. */
function cellOf(value: Row[string]): string {
  if (value === null || value === undefined || value === '') return '-'
  return String(value).replace(/\p{Cc}/gu, ' ')
}
