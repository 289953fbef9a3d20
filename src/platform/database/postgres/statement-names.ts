/** Longer statements are batches, each of its own length, which rarely come again. */
const MAX_SQL_CHARS = 4_000
/** The most names: each connection keeps the plans of all that it has run. */
const MAX_NAMES = 500
const MAX_CANDIDATES = 2_000
/** The number of uses that tell a statement that comes again from one that does not. */
const USES = 3

/** Names the statements that come again and again, so that a connection plans each of them once. */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #uses = new Map<string, number>()

  /** The name of the statement; undefined when it is not worth one. */
  of(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || text.length > MAX_SQL_CHARS || this.#names.size >= MAX_NAMES)
      return known
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (this.#uses.size >= MAX_CANDIDATES) this.#uses.clear()
    this.#uses.set(text, uses)
    if (uses < USES) return undefined
    this.#uses.delete(text)
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}
