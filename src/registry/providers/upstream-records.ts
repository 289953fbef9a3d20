/** Records of the upstream registry as its answers have them; each is read by name and checked here. */
import { AdapterError } from '../../platform/errors.js'

export type AnsweredRecord = Readonly<Record<string, unknown>>

/** The first record of a list; undefined when the list is empty. */
export function firstRecord(list: AnsweredRecord): AnsweredRecord | undefined {
  const { records } = list as { readonly records?: unknown } // read by name, checked here
  const first: unknown = Array.isArray(records) ? records[0] : undefined
  return typeof first === 'object' && first !== null
    ? (first as AnsweredRecord) // an object
    : undefined
}

export function textOf(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new AdapterError('the upstream registry gave no identifier')
}

/** True when the record has other values than those wanted; no value is null, absent or empty. */
export function differs(there: AnsweredRecord, wanted: AnsweredRecord): boolean {
  return Object.entries(wanted).some(([name, value]) => canonical(there[name]) !== canonical(value))
}

/** A record without keys is answered for a field that has none, as null is. */
function canonical(value: unknown): string {
  const text = value === undefined || value === null || value === '' ? '' : JSON.stringify(value)
  return text === '{}' ? '' : text
}

/** The fields with their values; a PUT clears a field by null, and leaves an absent one as it is. */
export function withNulls<Field extends string>(
  fields: readonly Field[],
  values: Readonly<Partial<Record<Field, unknown>>>,
): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, values[name] ?? null]))
}
