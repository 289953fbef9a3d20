/** Finds the known name that a misspelt one stands for. Pure. */

/** One letter may be wrong in a word of up to five letters, two in a longer one. */
const SHORT_WORD = 5
/** A word may be cut short to this many letters: SEC for SECONDS. */
const MIN_ABBREVIATION = 3
/** Names of fewer letters are like too many others. */
const MIN_LETTERS = 3

/** Returns the known name nearest to `name` in any case; undefined when none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const word = name.toLowerCase()
  const exact = known.find((each) => each.toLowerCase() === word)
  if (exact !== undefined || word.length < MIN_LETTERS) return exact
  const distance = (each: string) => editDistance(word, each.toLowerCase())
  const [nearest] = known
    .filter((each) => each.length >= MIN_LETTERS && isLikeWord(word, each.toLowerCase()))
    .toSorted((a, b) => distance(a) - distance(b))
  return nearest
}

/** True when the words differ by a slip of typing, or one is the beginning of the other. */
export function isLikeWord(word: string, wanted: string): boolean {
  if (word.length >= MIN_ABBREVIATION && (wanted.startsWith(word) || word.startsWith(wanted)))
    return true
  const allowed = Math.min(word.length, wanted.length) > SHORT_WORD ? 2 : 1
  return editDistance(word, wanted) <= allowed
}

/** Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours. */
export function editDistance(a: string, b: string): number {
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
