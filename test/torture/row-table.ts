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
  return tableText([factsLine(facts)], linesOf(tests), failuresOf(tests))
}

/**
 * The Markdown of an earlier run with the rows of this one in place of its own: a row that was mended
 * is shown without another whole run. Says which rows are of this run.
 */
export function updatedTable(before: string, tests: readonly RowTest[], facts: Facts): string {
  const again = linesOf(tests)
  const known = before.split('\n')
  const rowIn = (line: string, pattern: RegExp) =>
    ROW_IDS.find((row) => row === pattern.exec(line)?.[1])
  const lines = new Map<RowId, string>()
  for (const line of known) {
    const row = rowIn(line, /^\| (\S+) \|/)
    if (row !== undefined) lines.set(row, line)
  }
  const failures = known.filter((line) => {
    const row = rowIn(line, /^- (\S+): /)
    return row !== undefined && !again.has(row)
  })
  const runs = known.filter((line) => RUN.test(line))
  const names = [...again.keys()].join(', ')
  return tableText([...runs, `${factsLine(facts)} Rows ${names}.`], new Map([...lines, ...again]), [
    ...failures,
    ...failuresOf(tests),
  ])
}

/** The line with the facts of a run. */
const RUN = /^\d{4}-\d{2}-\d{2}, .* s\./

function factsLine({ date, machine, seconds }: Facts): string {
  return `${date}, ${machine}, ${seconds.toFixed(0)} s.`
}

function tableText(
  runs: readonly string[],
  lines: ReadonlyMap<RowId, string>,
  failures: readonly string[],
): string {
  const missing = ROW_IDS.filter((row) => !lines.has(row))
  return [
    ...runs.flatMap((run) => [run, '']),
    '| row | must hold | result | tests | s | load | figures |',
    '|---|---|---|---|---|---|---|',
    ...ROW_IDS.flatMap((row) => lines.get(row) ?? []),
    ...(failures.length === 0 ? [] : ['', 'Failed:', '', ...failures]),
    ...(missing.length === 0 ? [] : ['', `Without a test: ${missing.join(', ')}.`]),
    '',
  ].join('\n')
}

function linesOf(tests: readonly RowTest[]): ReadonlyMap<RowId, string> {
  const rows = ROW_IDS.filter((row) => tests.some((test) => test.row === row))
  return new Map(
    rows.map((row) => [
      row,
      lineOf(
        row,
        tests.filter((test) => test.row === row),
      ),
    ]),
  )
}

function failuresOf(tests: readonly RowTest[]): readonly string[] {
  return tests.filter(({ outcome }) => outcome === 'failed').map(failureOf)
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
