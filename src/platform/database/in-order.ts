/** The result of the work on one item. */
export interface Applied<Item, Result> {
  readonly item: Item
  readonly result: Result
}

/**
 * Applies work to each item, one after the other, sorted by row name, so that two transactions on the same rows
 * never deadlock. Resolves with the results in the order of the items; of items with one name the first comes
 * first.
 */
export async function applyInOrder<Item, Result>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  apply: (item: Item) => Promise<Result>,
): Promise<readonly Applied<Item, Result>[]> {
  const applied: Applied<Item, Result>[] = []
  const ordered = items
    .map((item, place) => ({ item, place, name: nameOf(item) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
  for (const { item, place } of ordered) applied[place] = { item, result: await apply(item) }
  return applied
}
