/** Writes records as comma-separated values (RFC 4180). Pure. */

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`
}

/** The values of a record's columns; what is absent is empty. */
export function csvRecord(columns: readonly string[], record: object): string {
  const fields = new Map<string, unknown>(Object.entries(record))
  return csvLine(columns.map((column) => fields.get(column)))
}

/** What a spreadsheet takes for a formula at the beginning of a cell; some skip a tab or line end first. */
const FORMULA_START = /^[=+\-@\t\r\n]/

/** Telephone numbers and amounts, which are harmless and stay as they are. */
const SIGNED_NUMBER = /^[+-]\d+(?:\.\d+)?$/

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = inert(typeof value === 'string' ? value : JSON.stringify(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The text, behind an apostrophe when a spreadsheet would run it: callers choose their names. */
function inert(text: string): string {
  return FORMULA_START.test(text) && !SIGNED_NUMBER.test(text) ? `'${text}` : text
}
