/**
 * Applies work to each item, one after the other in the order of the names of their rows. Two
 * transactions that name the same rows in different orders then never wait for each other. Resolves
 * with the results in the order of the items; of items with one name the first comes first.
 */
export async function applyInOrder<Item, Result>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  apply: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const ordered = items
    .map((item, place) => ({ item, place, name: nameOf(item) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
  for (const { item, place } of ordered) results[place] = await apply(item)
  return results
}
