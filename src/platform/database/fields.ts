/**
 * The fields of a row: a nullable column is an optional field. `Converted` holds the fields whose values differ
 * from their column's.
 */
export type Fields<Row, Converted = object> = {
  readonly [Name in Exclude<keyof Row, keyof Converted>]: null extends Row[Name]
    ? Exclude<Row[Name], null> | undefined
    : Row[Name]
} & Converted

/**
 * The columns of a record: an optional field is a nullable column. `Converted` holds the columns whose values
 * differ from their field's.
 */
export type Columns<Rec, Converted = object> = {
  [Name in Exclude<keyof Rec, keyof Converted>]-?: undefined extends Rec[Name]
    ? Exclude<Rec[Name], undefined> | null
    : Rec[Name]
} & Converted

/** Converts a row to its record. */
export function fieldsOf<Row extends object, Converted extends object = object>(
  row: Row,
  converted?: Converted,
): Fields<Row, Converted> {
  const fields: Record<string, unknown> = {}
  for (const name in row) fields[name] = row[name] ?? undefined
  // Each of its columns was read, and `converted` has the rest.
  return Object.assign(fields, converted) as Fields<Row, Converted>
}

/** Converts a record to its row; the record must have no other fields than its type. */
export function columnsOf<Rec extends object, Converted extends object = object>(
  record: Rec,
  converted?: Converted,
): Columns<Rec, Converted> {
  const columns: Record<string, unknown> = {}
  for (const name in record) columns[name] = record[name] ?? null
  // Each of its fields was read, and `converted` has the rest.
  return Object.assign(columns, converted) as Columns<Rec, Converted>
}
