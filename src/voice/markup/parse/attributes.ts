import type { WebhookMethod } from '../../../platform/http/http-method.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** The value that replaces a wrong one, and the documented number of its warning. */
interface Fallback<T> {
  readonly otherwise: T
  readonly code: ErrorNumber
}
interface Range {
  readonly min: number
  readonly max?: number
}

/**
 * Reads one element's attributes. An absent attribute gets its default; a wrong one gets its default and a
 * warning. Never fails.
 */
export interface AttributeReader {
  text(name: string): string | undefined
  integer<T>(name: string, range: Range, fallback: Fallback<T>): number | T
  boolean(name: string, fallback: Fallback<boolean>): boolean
  oneOf<T extends string>(name: string, values: readonly T[], fallback: Fallback<T>): T
  method(name: string, code: ErrorNumber): WebhookMethod
  /** Reads words separated by spaces, each of `values`. An empty attribute counts as absent. */
  words<T extends string>(
    name: string,
    values: readonly T[],
    fallback: Fallback<readonly T[]>,
  ): readonly T[]
  /** Reads a value with a custom rule: `read` returns undefined for a wrong value. */
  custom<T, F>(
    name: string,
    read: (value: string) => T | undefined,
    expected: string,
    fallback: Fallback<F>,
  ): T | F
}

export function readAttributes(element: XmlElement, warn: Warn): AttributeReader {
  const custom: AttributeReader['custom'] = (name, read, expected, { otherwise, code }) => {
    const value = element.attributes.get(name)
    if (value === undefined) return otherwise
    const result = read(value)
    if (result !== undefined) return result
    warn(code, `${element.name}: ${name}="${value}" is not ${expected}; ${instead(otherwise)}`)
    return otherwise
  }
  return {
    text: (name) => element.attributes.get(name),
    custom,
    integer: (name, range, fallback) =>
      custom(name, (value) => toInteger(value, range), describeRange(range), fallback),
    boolean: (name, fallback) => custom(name, toBoolean, 'true or false', fallback),
    oneOf: (name, values, fallback) =>
      custom(name, (v) => values.find((known) => known === v), values.join(' or '), fallback),
    words: (name, values, fallback) =>
      custom(
        name,
        (value) => toWords(value, values, fallback.otherwise),
        `of ${values.join(' ')}`,
        fallback,
      ),
    method: (name, code) => custom(name, toMethod, 'GET or POST', { otherwise: 'POST', code }),
  }
}

function toInteger(value: string, range: Range): number | undefined {
  if (!/^\s*[0-9]{1,9}\s*$/.test(value)) return undefined
  const number = Number.parseInt(value, 10)
  return number >= range.min && number <= (range.max ?? Infinity) ? number : undefined
}

function toBoolean(value: string): boolean | undefined {
  const word = value.trim().toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : undefined
}

function toWords<T extends string>(
  value: string,
  values: readonly T[],
  ifEmpty: readonly T[],
): readonly T[] | undefined {
  const words = value.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return ifEmpty
  if (!words.every((word) => values.some((known) => known === word))) return undefined
  return values.filter((known) => words.includes(known))
}

function toMethod(value: string): WebhookMethod | undefined {
  const word = value.trim().toUpperCase()
  return word === 'GET' || word === 'POST' ? word : undefined
}

function describeRange({ min, max }: Range): string {
  return max === undefined ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`
}

function instead(otherwise: unknown): string {
  return otherwise === undefined ? 'ignored' : `using ${JSON.stringify(otherwise)}`
}
