/** Writes records as comma-separated values (RFC 4180). Pure. */

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`
}

/** The values of a record's columns; what is absent is empty. */
export function csvRecord(columns: readonly string[], record: object): string {
  const fields = new Map<string, unknown>(Object.entries(record))
  return csvLine(columns.map((column) => fields.get(column)))
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
