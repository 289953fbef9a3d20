import type { Clock } from '../../platform/clock.js'

/** Knows how long each server has had its present fault. */
export class FaultAges {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #since = new Map<string, { readonly fault: string; readonly atMs: number }>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Notes the fault that the server of that name has now, or that it has none. */
  note(name: string, fault: string | undefined): void {
    if (fault === undefined) this.#since.delete(name)
    else if (this.#since.get(name)?.fault !== fault)
      this.#since.set(name, { fault, atMs: this.#clock.monotonic() })
  }

  /** Milliseconds since the fault was first noted; undefined without one. */
  ageMs(name: string): number | undefined {
    const known = this.#since.get(name)
    return known && this.#clock.monotonic() - known.atMs
  }
}
