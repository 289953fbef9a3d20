/** Runs tasks one after the other, in order of arrival. A failed task does not stop the others. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  /** Settles as the task does. */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const running = this.#last.then(task)
    this.#last = running.catch(() => undefined)
    return running
  }
}

/** Runs tasks of one key one after the other; tasks of different keys run concurrently. */
export class KeyedQueue {
  readonly #turns = new Map<string, { readonly queue: SerialQueue; waiting: number }>()

  /** Settles as the task does. */
  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.get(key) ?? { queue: new SerialQueue(), waiting: 0 }
    this.#turns.set(key, turn)
    turn.waiting++
    try {
      return await turn.queue.run(task)
    } finally {
      turn.waiting--
      if (turn.waiting === 0) this.#turns.delete(key)
    }
  }
}
