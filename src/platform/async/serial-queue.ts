/**
 * Runs tasks one after the other, in the order in which they came. Whoever gives a task sees how it
 * ended; the next one begins either way.
 */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(task)
    this.#last = running.catch(() => undefined)
    return running
  }
}
