/** Reads the names of fields as older clients write them: `lc_btn` and `LcBtn` mean `lcBtn`. Pure. */

const folded = (name: string): string => name.replaceAll('_', '').toLowerCase()

/**
 * Makes a function that gives the members of an object, and of the objects within it, the names that
 * are known. A name that is written rightly wins over one that is not; unknown names stay.
 */
export function foldNames(known: readonly string[]): (value: unknown) => unknown {
  const byFolded = new Map(known.map((name) => [folded(name), name]))
  const read = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(read)
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value)
    // Rightly written names come last, and so stay.
    const right = members.filter(([name]) => known.includes(name))
    const others = members.filter(([name]) => !known.includes(name))
    return Object.fromEntries(
      [...others, ...right].map(([name, member]) => [
        byFolded.get(folded(name)) ?? name,
        read(member),
      ]),
    )
  }
  return read
}
