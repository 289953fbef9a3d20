/**
 * Runs tasks one after the other, in the order in which they came. A task that fails does not stop
 * the others.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Settles as the task does. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(task)
    this.#last = running.catch(() => undefined)
    return running
  }
}
