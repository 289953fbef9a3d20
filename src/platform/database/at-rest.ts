import type { ColumnType } from 'kysely'

/** A URL to be stored; its password is sealed when the statement runs. */
export class UrlAtRest {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** JSON to be stored; passwords in its URLs and in fields named so are sealed when the statement runs. */
export class JsonAtRest {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A column of URLs. Reads return it as stored; outbound requests unseal the password. */
export type UrlColumn<Absent = never> = ColumnType<
  string | Absent,
  UrlAtRest | Absent,
  UrlAtRest | Absent
>
/** A column of JSON with URLs, read as text. `Default` is undefined where the database has a default. */
export type UrlsJsonColumn<Absent = never, Default = never> = ColumnType<
  string | Absent,
  JsonAtRest | Absent | Default,
  JsonAtRest | Absent
>

/** Wraps a URL for its column; null for none. */
export function urlAtRest(text: string): UrlAtRest
export function urlAtRest(text: string | undefined): UrlAtRest | null
export function urlAtRest(text: string | undefined): UrlAtRest | null {
  return text === undefined ? null : new UrlAtRest(text)
}

/** Wraps a value for its JSON column. */
export function jsonAtRest(value: unknown): JsonAtRest {
  return new JsonAtRest(JSON.stringify(value))
}

export type SealUrl = (text: string) => string
/** Converts a statement parameter to what the engine's driver takes. */
export type Bind = (value: unknown) => unknown

const URL_FIELD = /url$/i

/** Returns the conversion that every parameter of every statement passes, on every engine. */
export function binding(seal: SealUrl): Bind {
  return (value) => {
    if (value instanceof UrlAtRest) return withoutNul(seal(value.text))
    if (value instanceof JsonAtRest) return withoutNul(sealedJson(value.text, seal))
    return withoutNul(value)
  }
}

/** Replaces NUL characters by U+FFFD, since PostgreSQL stores none. All engines then behave alike. */
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
