import type { TaskMeta } from 'vitest'
import { isRowId, type RowId } from './row-criteria.js'

/** Pattern of the ids of the torture table's rows, such as `[A5]` in a test's title. */
export const ROW_ID =
  '[A-F]\\d{1,2}|speech|updates|streams-soak|streams-clear|detection|messages-kill|messages-list|fuzz|outage-frozen|outage-gone|outage-disk'

/** The figures of a test, by name with unit: `{ crashes: 0, 'loop p99 ms': 12 }`. */
export type Figures = Readonly<Record<string, number | string>>

declare module 'vitest' {
  interface TaskMeta {
    rows?: readonly { readonly row: RowId; readonly figures: Figures }[]
  }
}

/**
 * Puts figures beside the row in the table of `npm run torture`. The row's id in the test's title,
 * as `[A5]`, is what makes it a test of the row: `it('… [A5]', ({ task }) => …)`.
 */
export function reportRow(task: { readonly meta: TaskMeta }, row: RowId, figures: Figures): void {
  task.meta.rows = [...(task.meta.rows ?? []), { row, figures }]
}

/** The rows that a title, or a whole file of tests, names. */
export function rowsIn(text: string): readonly RowId[] {
  return idsIn(text).filter(isRowId)
}

/** The texts in the form of a row's id, whether the row exists or not. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(`\\[(${ROW_ID})\\]`, 'g'))].map((match) => match[1] ?? '')
}
