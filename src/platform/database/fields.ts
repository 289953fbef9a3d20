/**
 * The fields of a row: a column that may be null is a field that may be undefined. `Converted` has the
 * fields whose values are not those of a column.
 */
export type Fields<Row, Converted = object> = {
  readonly [Name in Exclude<keyof Row, keyof Converted>]: null extends Row[Name]
    ? Exclude<Row[Name], null> | undefined
    : Row[Name]
} & Converted

/**
 * The columns of a record: a field that may be undefined is a column that may be null. `Converted` has
 * the columns whose values are not those of a field.
 */
export type Columns<Rec, Converted = object> = {
  [Name in Exclude<keyof Rec, keyof Converted>]-?: undefined extends Rec[Name]
    ? Exclude<Rec[Name], undefined> | null
    : Rec[Name]
} & Converted

/** Reads a record from its row. */
export function fieldsOf<Row extends object, Converted extends object = object>(
  row: Row,
  converted?: Converted,
): Fields<Row, Converted> {
  const fields: Record<string, unknown> = {}
  for (const name in row) fields[name] = row[name] ?? undefined
  // Each of its columns was read, and `converted` has the rest.
  return Object.assign(fields, converted) as Fields<Row, Converted>
}

/** Makes the row of a record, which has the fields of its type and no other ones. */
export function columnsOf<Rec extends object, Converted extends object = object>(
  record: Rec,
  converted?: Converted,
): Columns<Rec, Converted> {
  const columns: Record<string, unknown> = {}
  for (const name in record) columns[name] = record[name] ?? null
  // Each of its fields was read, and `converted` has the rest.
  return Object.assign(columns, converted) as Columns<Rec, Converted>
}
