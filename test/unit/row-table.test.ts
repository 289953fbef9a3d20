import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROW_IDS, type RowId } from '../support/rows/row-criteria.js'
import { idsIn, rowsIn } from '../support/rows/rows.js'
import { type RowTest, rowTable, updatedTable } from '../torture/row-table.js'

const FACTS = { date: '2026-01-01', machine: 'a machine', seconds: 3 }
const passed: RowTest = {
  row: 'A5',
  file: 'test/a.test.ts',
  title: 'copies [A5]',
  outcome: 'passed',
  seconds: 1.25,
  load: 0.26,
  figures: [{ calls: 1, webhooks: 1 }],
}
const lineOf = (tests: readonly RowTest[]) =>
  rowTable(tests, FACTS)
    .split('\n')
    .find((line) => line.startsWith('| A5'))

describe('the table of rows', () => {
  it('takes a row from a title', () => {
    expect(rowsIn('describe [A5] [F42] and [x] [A]')).toEqual(['A5', 'F42'])
  })

  it('shows a passed row with its figures', () => {
    expect(lineOf([passed])).toMatch(
      /passed \| `test\/a.test.ts` \| 1.3 \| 0.3 \| calls: 1<br>webhooks: 1/,
    )
  })

  it('shows a row as failed when one of its tests failed, and why', () => {
    const failed = { ...passed, outcome: 'failed', failure: 'two calls' } as const
    expect(lineOf([passed, failed])).toContain('**1 of 2 failed**')
    expect(rowTable([passed, failed], FACTS)).toContain('- A5: copies [A5]: two calls')
  })

  it('takes the rows of a later run, and says which', () => {
    const failed = { ...passed, outcome: 'failed', failure: 'two calls' } as const
    const other = { ...failed, row: 'A6', title: 'lost [A6]' } as const
    const before = `A heading\n\n${rowTable([failed, other], FACTS)}`
    const later = { ...FACTS, date: '2026-01-02', seconds: 1 }
    const after = updatedTable(before, [passed], later)
    expect(after).toMatch(
      /^2026-01-01, a machine, 3 s\.\n\n2026-01-02, a machine, 1 s\. Rows A5\.\n/,
    )
    expect(after).toMatch(/\| A5 \|.*\| passed \|/)
    expect(after).not.toContain('- A5: ')
    expect(after).toContain('- A6: lost [A6]: two calls')
    expect(after.match(/^\| A[56] \|/gm)).toEqual(['| A5 |', '| A6 |'])
    // A row that fails later is shown as failed.
    expect(updatedTable(rowTable([passed], FACTS), [failed], later)).toContain('- A5: copies')
  })

  it('names the rows without a test', () => {
    expect(rowTable([passed], FACTS)).toMatch(/Without a test: A1, A2, A3, A4, A6,/)
  })
})

/** Promised for features that are not whole yet. */
const NOT_YET: ReadonlySet<RowId> = new Set()

describe('the rows', () => {
  const own = 'row-table.test.ts'
  const sources = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|contract)\.ts$/.test(name) && !name.endsWith(own))
    .map((name) => readFileSync(join('test', name), 'utf8'))
    .join('\n')

  it('each have a test, but those of features that are not whole', () => {
    const tested = new Set(rowsIn(sources))
    expect(ROW_IDS.filter((row) => !tested.has(row) && !NOT_YET.has(row))).toEqual([])
  })

  it('have no test while they are listed as promised', () => {
    const tested = new Set(rowsIn(sources))
    expect([...NOT_YET].filter((row) => tested.has(row))).toEqual([])
  })

  it('are all known that tests name', () => {
    expect([...new Set(idsIn(sources))].sort()).toEqual([...new Set(rowsIn(sources))].sort())
  })
})
