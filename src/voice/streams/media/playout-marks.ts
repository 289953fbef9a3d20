interface Mark {
  readonly name: string
  /** The number of samples before the mark. */
  readonly at: number
}

/**
 * A customer's marks that have not come back. A mark is held here first, then put on the line under
 * an id of ours.
 */
export class PlayoutMarks {
  readonly #held: Mark[] = []
  readonly #onLine = new Map<string, string>()
  #count = 0

  get size(): number {
    return this.#held.length + this.#onLine.size
  }

  get onLineCount(): number {
    return this.#onLine.size
  }

  /** Position of the next held mark, in samples. */
  get nextAt(): number | undefined {
    return this.#held[0]?.at
  }

  hold(name: string, at: number): void {
    this.#held.push({ name, at })
  }

  /** Moves the next held mark to the line; returns its id there. */
  putOnLine(): string | undefined {
    const mark = this.#held.shift()
    if (mark === undefined) return undefined
    this.#count += 1
    const id = String(this.#count)
    this.#onLine.set(id, mark.name)
    return id
  }

  /** The name of a mark that came back from the line; undefined when it was taken meanwhile. */
  takeFromLine(id: string): string | undefined {
    const name = this.#onLine.get(id)
    this.#onLine.delete(id)
    return name
  }

  /** Takes all marks, in order. */
  takeAll(): readonly string[] {
    const names = [...this.#onLine.values(), ...this.#held.map(({ name }) => name)]
    this.#onLine.clear()
    this.#held.length = 0
    return names
  }
}
