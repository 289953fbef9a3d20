/** Keeps effects until the transaction that they belong to is durable. */
export class CommitEffects<Tx extends object> {
  readonly #waiting = new WeakMap<Tx, (() => void)[]>()

  add(tx: Tx, effect: () => void): void {
    const known = this.#waiting.get(tx)
    if (known === undefined) this.#waiting.set(tx, [effect])
    else known.push(effect)
  }

  /**
   * Runs `work` in a transaction, and its effects once that has resolved. Work that runs again has
   * another transaction: the effects of the first run are forgotten.
   */
  async after<Result>(
    work: (tx: Tx) => Promise<Result>,
    transaction: (run: (tx: Tx) => Promise<Result>) => Promise<Result>,
  ): Promise<Result> {
    let last: Tx | undefined
    const result = await transaction((tx) => {
      last = tx
      return work(tx)
    })
    if (last !== undefined) this.#run(last)
    return result
  }

  /** Writes that share one commit share its effects: the first that resolves runs them. */
  #run(tx: Tx): void {
    const effects = this.#waiting.get(tx) ?? []
    this.#waiting.delete(tx)
    for (const effect of effects) effect()
  }
}
