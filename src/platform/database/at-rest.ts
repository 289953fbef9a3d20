import type { ColumnType } from 'kysely'

/** A URL on its way to a column: what is stored has its password sealed. */
export class UrlAtRest {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** JSON on its way to a column: the passwords of its URLs are sealed, those of fields named so. */
export class JsonAtRest {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A column of URLs. It is read as it is stored; outbound requests open what is sealed. */
export type UrlColumn<Absent = never> = ColumnType<
  string | Absent,
  UrlAtRest | Absent,
  UrlAtRest | Absent
>
/** A column of JSON with URLs, read as a text. `Default` is undefined where the database has one. */
export type UrlsJsonColumn<Absent = never, Default = never> = ColumnType<
  string | Absent,
  JsonAtRest | Absent | Default,
  JsonAtRest | Absent
>

/** A URL for its column; null for none. */
export function urlAtRest(text: string): UrlAtRest
export function urlAtRest(text: string | undefined): UrlAtRest | null
export function urlAtRest(text: string | undefined): UrlAtRest | null {
  return text === undefined ? null : new UrlAtRest(text)
}

/** A value for its column of JSON. */
export function jsonAtRest(value: unknown): JsonAtRest {
  return new JsonAtRest(JSON.stringify(value))
}

export type SealUrl = (text: string) => string
/** Makes what the driver of an engine takes of a parameter. */
export type Bind = (value: unknown) => unknown

const URL_FIELD = /url$/i

/** Every parameter of every statement passes here, on every engine. */
export function binding(seal: SealUrl): Bind {
  return (value) => {
    if (value instanceof UrlAtRest) return withoutNul(seal(value.text))
    if (value instanceof JsonAtRest) return withoutNul(sealedJson(value.text, seal))
    return withoutNul(value)
  }
}

/**
 * Replaces NUL characters, which PostgreSQL stores in no text, by U+FFFD. So what
 * a stranger sends has the same effect on every engine.
 */
export function withoutNul<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0')
    ? value.replaceAll('\0', '\uFFFD')
    : value
}

function sealedJson(text: string, seal: SealUrl): string {
  // Few URLs have credentials, and every call stores such a text.
  if (!text.includes('@')) return text
  const parsed: unknown = JSON.parse(text)
  return JSON.stringify(parsed, (name, value: unknown) =>
    typeof value === 'string' && URL_FIELD.test(name) ? seal(value) : value,
  )
}
