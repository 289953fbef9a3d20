/**
 * Finds variables of the environment that are misspelt settings. The environment is shared with
 * other programs, so only a name that is close to a setting's name is an error.
 */

/** One letter may be wrong in a word of up to five letters, two in a longer one. */
const SHORT_WORD = 5
/** A word may be cut short to this many letters: SEC for SECONDS. */
const MIN_ABBREVIATION = 3
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
  return isSameWord(words[index] ?? '', wanted[index] ?? '')
}

function isSameWord(word: string, wanted: string): boolean {
  if (word.length >= MIN_ABBREVIATION && (wanted.startsWith(word) || word.startsWith(wanted)))
    return true
  const allowed = Math.min(word.length, wanted.length) > SHORT_WORD ? 2 : 1
  return editDistance(word, wanted) <= allowed
}

/** Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const isEqual = a[row - 1] === b[column - 1]
      const isSwap = row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      line.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isEqual ? 0 : 1),
          isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    beforeLast = last
    last = line
  }
  return last[b.length] ?? 0
}
