import { reasonOf } from './abort.js'

/** A fixed number of slots; further callers wait in order. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves with the function that releases the slot; rejects with the signal's reason. */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(reasonOf(signal))
        return
      }
      const onAbort = (): void => {
        this.#waiting.delete(onTurn)
        reject(reasonOf(signal))
      }
      const onTurn = (): void => {
        signal.removeEventListener('abort', onAbort)
        resolve(() => {
          this.#giveBack()
        })
      }
      if (this.#free > 0) {
        this.#free -= 1
        onTurn()
        return
      }
      this.#waiting.add(onTurn)
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  #giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
