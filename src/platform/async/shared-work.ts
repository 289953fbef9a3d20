/** Runs the same work once for several callers, and aborts it when the last one stops waiting. */
export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>()

  /** Waits for the shared work. Rejects with the signal's reason as soon as it aborts. */
  async run(
    key: string,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const running = this.#running.get(key) ?? this.#start(key, work)
    running.waiting += 1
    let leave: (() => void) | undefined
    try {
      const left = new Promise<'left'>((resolve) => {
        leave = () => {
          resolve('left')
        }
        signal.addEventListener('abort', leave)
      })
      const result = await Promise.race([running.promise, left])
      signal.throwIfAborted()
      return result as T // only the signal makes it 'left'
    } finally {
      if (leave !== undefined) signal.removeEventListener('abort', leave)
      running.waiting -= 1
      if (running.waiting === 0) running.stop.abort(new Error('nobody waits for it any more'))
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController()
    const promise = work(stop.signal).finally(() => {
      if (this.#running.get(key) === running) this.#running.delete(key)
    })
    const running: Running<T> = { promise, stop, waiting: 0 }
    // A caller that left does not get the failure; one that waits does.
    promise.catch(() => undefined)
    // Aborted work must not be given to the next caller.
    stop.signal.addEventListener('abort', () => {
      if (this.#running.get(key) === running) this.#running.delete(key)
    })
    this.#running.set(key, running)
    return running
  }
}

interface Running<T> {
  readonly promise: Promise<T>
  readonly stop: AbortController
  waiting: number
}
