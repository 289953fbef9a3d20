import type { TaskMeta } from 'vitest'
import { isRowId, type RowId } from './row-criteria.js'

/** Pattern of the row ids in the torture table, such as `[A5]` in a test's title. */
export const ROW_ID =
  '[A-F]\\d{1,2}|speech|updates|streams-soak|streams-clear|detection|messages-kill|messages-list|fuzz|outage-frozen|outage-gone|outage-disk'

/** Figures of a test, by name with unit: `{ crashes: 0, 'loop p99 ms': 12 }`. */
export type Figures = Readonly<Record<string, number | string>>

declare module 'vitest' {
  interface TaskMeta {
    rows?: readonly { readonly row: RowId; readonly figures: Figures }[]
  }
}

/**
 * Adds figures to a row in the table of `npm run torture`. A row id in the test's title, such as `[A5]`,
 * assigns the test to the row: `it('… [A5]', ({ task }) => …)`.
 */
export function reportRow(task: { readonly meta: TaskMeta }, row: RowId, figures: Figures): void {
  task.meta.rows = [...(task.meta.rows ?? []), { row, figures }]
}

/** The rows named in a title or a test file. */
export function rowsIn(text: string): readonly RowId[] {
  return idsIn(text).filter(isRowId)
}

/** Texts in the form of a row id, whether the row exists or not. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(new RegExp(`\\[(${ROW_ID})\\]`, 'g'))].map((match) => match[1] ?? '')
}
