/**
 * Search masks: ten characters, each a digit or `x` for any digit. A shorter mask, with an optional `*` at its
 * end, is a prefix. Pure.
 */

const NANP_LENGTH = 10
const LETTERS = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz']

/**
 * Parses a mask to ten digits and underscores; undefined for an invalid one. Letters are keys of a phone; `x`,
 * `?` and space are any digit.
 */
export function readMask(text: string): string | undefined {
  const bare = text.replace(/^\+?1(?=[^*]{10}$)/, '').replace(/\*$/, '')
  if (bare.length > NANP_LENGTH) return undefined
  const characters = Array.from(bare, maskOf)
  if (characters.includes(undefined)) return undefined
  return characters.join('').padEnd(NANP_LENGTH, '_')
}

function maskOf(character: string): string | undefined {
  if (/[0-9]/.test(character)) return character
  if (/[xX? _*]/.test(character)) return '_'
  const key = LETTERS.findIndex((letters) => letters.includes(character.toLowerCase()))
  return key === -1 ? undefined : String(key + 2)
}

/** True when digits of the same length match the mask. */
export function fitsMask(mask: string, digits: string): boolean {
  return Array.from(mask).every((each, index) => each === '_' || each === digits[index])
}

/** Yields every text of digits that matches the mask. */
export function* fillsOf(mask: string): Generator<string> {
  const at = mask.indexOf('_')
  if (at === -1) {
    yield mask
    return
  }
  for (let digit = 0; digit <= 9; digit += 1)
    yield* fillsOf(`${mask.slice(0, at)}${digit}${mask.slice(at + 1)}`)
}
