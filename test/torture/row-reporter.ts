import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { RowId } from '../support/rows/row-criteria.js'
import { rowsIn } from '../support/rows/rows.js'
import { type RowTest, rowTable, updatedTable } from './row-table.js'

const HEADING = `# Under attack, under load, after a crash

Written by \`npm run torture\`; not edited by hand. Each row is a promise with the tests that hold it:
those of the ordinary suite that carry its id, and the long ones of \`test/torture\`. The ids are those
of the tests' titles, as in \`[A5]\`. The load is the machine's load average as the row's last test ended.

\`npm run torture\` runs every row and writes this page. \`npm run torture -- --only F55,messages-kill\` runs these rows alone; with
\`--update\` it puts them into the page. \`-- --minutes 30\` sets the length of the soaks.

`

/** Collects the tests whose titles carry a row's id; prints their table, and writes it to the file if there is one. */
export default class RowReporter implements Reporter {
  readonly #startedAt = performance.now()
  readonly #loadAtStart = loadNow()
  /** Load average as each test ended, by the test's id. */
  readonly #loads = new Map<string, number>()

  onTestCaseResult(test: TestCase): void {
    this.#loads.set(test.id, loadNow())
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) =>
      [...module.children.allTests()].flatMap((test) =>
        rowTestsOf(test, this.#loads.get(test.id) ?? this.#loadAtStart),
      ),
    )
    const ran = tests.filter(({ outcome }) => outcome !== 'skipped')
    if (ran.length === 0) {
      process.stderr.write('torture: no test of such a row ran\n')
      process.exitCode = 1
      return
    }
    const facts = {
      date: new Date().toISOString().slice(0, 10),
      machine: `${machine()}, load average ${this.#loadAtStart.toFixed(1)} at the start`,
      seconds: (performance.now() - this.#startedAt) / 1_000,
    }
    const table = rowTable(ran, facts)
    process.stdout.write(`\n${table}\n`)
    const { TORTURE_TABLE: whole, TORTURE_UPDATE: part } = process.env
    if (whole !== undefined) writeFileSync(whole, `${HEADING}${table}`)
    if (part !== undefined)
      writeFileSync(part, `${HEADING}${updatedTable(readFileSync(part, 'utf8'), ran, facts)}`)
  }
}

function rowTestsOf(test: TestCase, load: number): RowTest[] {
  const { state, errors } = test.result()
  const rows = new Set<RowId>(rowsIn(test.fullName))
  const reported = test.meta().rows ?? []
  const failure = errors?.[0]?.message.split('\n')[0]
  return [...rows].map((row) => ({
    row,
    file: test.module.relativeModuleId,
    title: test.fullName,
    outcome: state === 'passed' || state === 'failed' ? state : 'skipped',
    seconds: (test.diagnostic()?.duration ?? 0) / 1_000,
    load,
    figures: reported.filter((each) => each.row === row).map(({ figures }) => figures),
    ...(failure === undefined ? {} : { failure }),
  }))
}

/** Of the last minute. */
function loadNow(): number {
  return loadavg()[0] ?? 0
}

function machine(): string {
  const processors = cpus()
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  return `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${memoryGb} GB, Linux ${release()}, Node ${process.version}`
}
