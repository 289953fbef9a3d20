/** A node as one look finds it. */
export interface Sight {
  readonly name: string
  readonly process: string
  readonly beats: number
}

interface Seen {
  readonly sight: Sight
  readonly silentLooks: number
}

/**
 * Counts the looks for which a node has not raised its beats. It compares no clocks: a wrong clock
 * kills nobody. An observer that was paused itself has looked once when it goes on, whatever time has
 * passed. Pure but for its count.
 */
export class Silence {
  readonly #limit: number
  #seen = new Map<string, Seen>()

  /** A node is silent that has not raised its beats for this number of looks. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes what one look found; returns the nodes that are silent now. */
  look(sights: readonly Sight[]): readonly Sight[] {
    const seen = new Map<string, Seen>()
    for (const sight of sights) {
      const before = this.#seen.get(sight.name)
      const isSilent = before?.sight.process === sight.process && before.sight.beats === sight.beats
      seen.set(sight.name, { sight, silentLooks: isSilent ? before.silentLooks + 1 : 0 })
    }
    this.#seen = seen
    return [...seen.values()].flatMap(({ sight, silentLooks }) =>
      silentLooks >= this.#limit ? [sight] : [],
    )
  }

  /** Begins anew: while the database was away, no node could raise its beats. */
  forget(): void {
    this.#seen = new Map()
  }
}
