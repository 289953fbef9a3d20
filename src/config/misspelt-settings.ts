/**
 * Finds variables of the environment that are misspelt settings. The environment is shared with
 * other programs, so only a name that is close to a setting's name is an error.
 */
import { editDistance, isLikeWord } from '../platform/nearest-name.js'

/** In a name of at least this many words, one after the first may be any: MAX_WAITING_CALLS. */
const MIN_WORDS = 3

/** Returns one sentence for each name in `given` that is close to a name in `known`. */
export function misspeltSettings(
  given: Iterable<string>,
  known: ReadonlySet<string>,
): readonly string[] {
  return [...given]
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const [nearest] = [...known]
        .filter((each) => isCloseTo(name, each))
        .toSorted((a, b) => editDistance(name, a) - editDistance(name, b))
      return nearest === undefined ? [] : [`${name}: is no setting; did you mean ${nearest}?`]
    })
}

function isCloseTo(name: string, setting: string): boolean {
  const [words, wanted] = [name.toUpperCase().split('_'), setting.split('_')]
  if (words.join('') === wanted.join('')) return true
  if (words.length !== wanted.length || words.length < 2) return false
  if (words.toSorted().join() === wanted.toSorted().join()) return true
  const wrong = words.flatMap((word, index) => (word === wanted[index] ? [] : [index]))
  const [index = 0] = wrong
  if (wrong.length > 1) return false
  if (index > 0 && words.length >= MIN_WORDS) return true
  return isLikeWord(words[index] ?? '', wanted[index] ?? '')
}
