/** The JSON of frozen values: what cannot change is written once. */
const texts = new WeakMap<object, string>()

/**
 * Writes a body as `JSON.stringify` does. A frozen one, and frozen records in its lists, are written once
 * and remembered as long as they live: whoever freezes a record says that all within it stays as it is.
 */
export function writeJson(body: object): string {
  if (Object.isFrozen(body)) return textOf(body)
  if (Array.isArray(body)) return listOf(body)
  const lists = Object.values(body).some(
    (value) => Array.isArray(value) && isRecord(value[0]) && Object.isFrozen(value[0]),
  )
  return lists ? `{${fieldsOf(body).join(',')}}` : JSON.stringify(body)
}

function fieldsOf(body: object): readonly string[] {
  return Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => {
      const text = Array.isArray(value) ? listOf(value) : JSON.stringify(value)
      return `${JSON.stringify(name)}:${text}`
    })
}

function listOf(items: readonly unknown[]): string {
  return `[${items.map((item) => itemOf(item)).join(',')}]`
}

function itemOf(item: unknown): string {
  // JSON.stringify is undefined for undefined; in a list it writes null.
  if (item === undefined) return 'null'
  return isRecord(item) && Object.isFrozen(item) ? textOf(item) : JSON.stringify(item)
}

function textOf(record: object): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = JSON.stringify(record)
  texts.set(record, text)
  return text
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
