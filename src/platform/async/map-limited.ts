/** Maps items to results in their order, at most `limit` at once. Rejects as the first failure does. */
export async function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += limit)
    results.push(...(await Promise.all(items.slice(from, from + limit).map(work))))
  return results
}
