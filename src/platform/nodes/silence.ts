/** One sighting of a node. */
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
 * Counts the checks during which a node has not beaten. It compares no clocks, so a wrong clock kills nobody,
 * and an observer that was paused counts one check, whatever time has passed. Pure but for its counts.
 */
export class Silence {
  readonly #limit: number
  #seen = new Map<string, Seen>()

  /** `limit`: number of checks without a beat after which a node is silent. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Counts one check; returns the nodes that are silent now. */
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

  /** Resets all counts: while the database was unreachable, no node could beat. */
  forget(): void {
    this.#seen = new Map()
  }
}
