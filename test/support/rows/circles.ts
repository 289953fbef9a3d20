/** Finds groups of nodes that reach each other along the edges (Tarjan's strongly connected components). */
export function circlesOf(
  arrows: ReadonlyMap<string, ReadonlySet<string>>,
): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []

  const visit = (place: string): number => {
    index.set(place, index.size)
    let low = index.size - 1
    path.push(place)
    for (const next of arrows.get(place) ?? []) {
      if (!index.has(next)) low = Math.min(low, visit(next))
      else if (path.includes(next)) low = Math.min(low, index.get(next) ?? low)
    }
    if (low === index.get(place)) {
      const circle = path.splice(path.indexOf(place))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return low
  }
  for (const place of arrows.keys()) if (!index.has(place)) visit(place)
  return circles
}
