import type { Clock } from '../../clock.js'

/** Progress of a move. */
export interface MoveProgress {
  readonly step: 'copying' | 'verifying'
  readonly table: string
  /** Rows of the table done in this step, and its total. */
  readonly rows: number
  readonly ofRows: number
  readonly rowsPerSecond: number
  /** Estimated seconds left for all tables; null before a rate is known. */
  readonly secondsLeft: number | null
}

/** Minimum time between two reports of one table, ms. */
const REPORT_EVERY_MS = 500
const SECOND_MS = 1_000

interface MeterDeps {
  readonly clock: Clock
  readonly report: (progress: MoveProgress) => void
  readonly step: MoveProgress['step']
  /** Rows of all tables, and those that an earlier run has moved. */
  readonly rows: number
  readonly before: number
}

/** Reports the progress of one step of a move, rate-limited. */
export class MoveMeter {
  readonly #deps: MeterDeps
  readonly #startedAt: number
  #reportedAt = Number.NEGATIVE_INFINITY
  #rowsOfOthers = 0

  constructor(deps: MeterDeps) {
    this.#deps = deps
    this.#startedAt = deps.clock.monotonic()
  }

  /** Records how many rows of a table are done; a complete table is always reported. */
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

  /** Adds the rows of a complete table. */
  finished(rows: number): void {
    this.#rowsOfOthers += rows
  }
}
