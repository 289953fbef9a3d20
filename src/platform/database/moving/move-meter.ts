import type { Clock } from '../../clock.js'

/** How far a move is. */
export interface MoveProgress {
  readonly step: 'copying' | 'verifying'
  readonly table: string
  /** The rows of the table that this step has done, of so many. */
  readonly rows: number
  readonly ofRows: number
  readonly rowsPerSecond: number
  /** The time that the step needs for all tables at this rate; null before a rate is known. */
  readonly secondsLeft: number | null
}

/** The least time between two reports of one table. */
const REPORT_EVERY_MS = 500
const SECOND_MS = 1_000

interface MeterDeps {
  readonly clock: Clock
  readonly report: (progress: MoveProgress) => void
  readonly step: MoveProgress['step']
  /** The rows of all tables, and those that an earlier process has moved. */
  readonly rows: number
  readonly before: number
}

/** Makes reports of one step of a move, not too many. */
export class MoveMeter {
  readonly #deps: MeterDeps
  readonly #startedAt: number
  #reportedAt = Number.NEGATIVE_INFINITY
  #rowsOfOthers = 0

  constructor(deps: MeterDeps) {
    this.#deps = deps
    this.#startedAt = deps.clock.monotonic()
  }

  /** Hears how many rows of a table are done; a table that is complete is always reported. */
  reached(table: string, rows: number, ofRows: number): void {
    const now = this.#deps.clock.monotonic()
    if (rows < ofRows && now - this.#reportedAt < REPORT_EVERY_MS) return
    this.#reportedAt = now
    const { before, step } = this.#deps
    const done = this.#rowsOfOthers + rows
    const perMs = (done - before) / Math.max(1, now - this.#startedAt)
    this.#deps.report({
      step,
      table,
      rows,
      ofRows,
      rowsPerSecond: Math.max(0, Math.round(perMs * SECOND_MS)),
      secondsLeft:
        perMs > 0 ? Math.max(0, Math.round((this.#deps.rows - done) / perMs / SECOND_MS)) : null,
    })
  }

  /** Adds the rows of a table that is complete. */
  finished(rows: number): void {
    this.#rowsOfOthers += rows
  }
}
