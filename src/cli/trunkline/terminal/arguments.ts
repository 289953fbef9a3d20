/** Parsers and validators of arguments. */
import { InvalidArgumentError } from 'commander'

export function sidArgument(prefix: string): (text: string) => string {
  const pattern = new RegExp(`^${prefix}[0-9a-fA-F]{32}$`)
  return (text) => {
    if (pattern.test(text)) return text
    throw new InvalidArgumentError(`A sid is ${prefix} and 32 hex digits.`)
  }
}

export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= from && value <= to) return value
    throw new InvalidArgumentError(`It must be a whole number from ${from} to ${to}.`)
  }
}

/** Collects the values of a repeatable option. */
export function severalTexts(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text]
}

/** Collects `Name=value` pairs. */
export function severalPairs(
  text: string,
  earlier: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must have the form Name=value.')
  return { ...earlier, [text.slice(0, at)]: text.slice(at + 1) }
}
