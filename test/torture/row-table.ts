import { ROW_CRITERIA, ROW_IDS, type RowId } from '../support/rows/row-criteria.js'
import type { Figures } from '../support/rows/rows.js'

/** One test of a row, as it ended. */
export interface RowTest {
  readonly row: RowId
  readonly file: string
  readonly title: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly seconds: number
  /** Load average of the machine as it ended: other work spoils what is timed. */
  readonly load: number
  readonly figures: readonly Figures[]
  /** First line of what went wrong. */
  readonly failure?: string
}

export interface Facts {
  readonly date: string
  readonly machine: string
  readonly seconds: number
}

/** The Markdown that a run writes: a line for each row, then what failed and what has no test. */
export function rowTable(tests: readonly RowTest[], facts: Facts): string {
  const rows = ROW_IDS.filter((row) => tests.some((test) => test.row === row))
  const failed = tests.filter(({ outcome }) => outcome === 'failed')
  const missing = ROW_IDS.filter((row) => !rows.includes(row))
  return [
    `${facts.date}, ${facts.machine}, ${facts.seconds.toFixed(0)} s.`,
    '',
    '| row | must hold | result | tests | s | load | figures |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) =>
      lineOf(
        row,
        tests.filter((test) => test.row === row),
      ),
    ),
    ...(failed.length === 0 ? [] : ['', 'Failed:', '', ...failed.map(failureOf)]),
    ...(missing.length === 0 ? [] : ['', `Without a test: ${missing.join(', ')}.`]),
    '',
  ].join('\n')
}

function lineOf(row: RowId, tests: readonly RowTest[]): string {
  const seconds = tests.reduce((sum, test) => sum + test.seconds, 0)
  const files = [...new Set(tests.map(({ file }) => file))].map((file) => {
    const count = tests.filter((test) => test.file === file).length
    return `\`${file}\`${count === 1 ? '' : ` ×${count}`}`
  })
  const figures = tests.flatMap((test) => test.figures.flatMap((each) => Object.entries(each)))
  const cells = [
    row,
    ROW_CRITERIA[row],
    resultOf(tests),
    files.join('<br>'),
    seconds.toFixed(1),
    Math.max(...tests.map(({ load }) => load)).toFixed(1),
    figures.map(([name, value]) => `${name}: ${value}`).join('<br>'),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
}

function resultOf(tests: readonly RowTest[]): string {
  const count = (outcome: RowTest['outcome']) =>
    tests.filter((test) => test.outcome === outcome).length
  const failed = count('failed')
  const passed = count('passed')
  if (failed > 0) return `**${failed} of ${tests.length} failed**`
  if (passed === 0) return 'skipped'
  return passed === tests.length ? 'passed' : `passed, ${count('skipped')} skipped`
}

function failureOf({ row, title, failure }: RowTest): string {
  return `- ${row}: ${title}${failure === undefined ? '' : `: ${failure}`}`
}
