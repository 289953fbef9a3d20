/**
 * `npm run torture`: runs every test that carries a row's id, the long ones of test/torture too,
 * one file after another. It prints their table; a whole run writes the table to docs/torture.md.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROW_ID } from '../support/rows/rows.js'

const USAGE = `npm run torture                    every row; writes docs/torture.md
npm run torture -- --only A2,F42   these rows; prints their table only
npm run torture -- --only A2 --update   these rows; puts them into docs/torture.md
npm run torture -- --minutes 30    as long as this for what soaks (without: 3)
`
const ROW = new RegExp(`\\[(?:${ROW_ID})\\]`)

interface Wish {
  /** The ids of rows; none: every row. */
  readonly only: readonly string[]
  readonly minutes: number | undefined
  /** What becomes of docs/torture.md. */
  readonly table: 'written' | 'updated' | 'left'
}

const TABLE = 'docs/torture.md'

async function torture({ only, minutes, table }: Wish): Promise<number> {
  const files = testsOfRows()
  const rows = only.length === 0 ? ROW_ID : only.join('|')
  const child = spawn(
    process.execPath,
    [
      ...['node_modules/vitest/vitest.mjs', 'run', ...files, '-t', `\\[(?:${rows})\\]`],
      ...['--root', '.', '--config', 'test/torture/vitest.config.ts'],
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(table === 'written' ? { TORTURE_TABLE: TABLE } : {}),
        ...(table === 'updated' ? { TORTURE_UPDATE: TABLE } : {}),
        ...(minutes === undefined ? {} : { TORTURE_MINUTES: String(minutes) }),
      },
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

function tableAfter(only: readonly string[], isUpdated: boolean): Wish['table'] {
  if (only.length === 0) return 'written'
  return isUpdated ? 'updated' : 'left'
}

/**
 * Finds the tests with a row's id by their text: loading a file costs more than reading it, and
 * most carry none.
 */
function testsOfRows(): readonly string[] {
  const tagged = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => join('test', name))
    .filter((file) => file.endsWith('.ts') && ROW.test(readFileSync(file, 'utf8')))
  const tests = tagged.filter((file) => file.endsWith('.test.ts'))
  // The contract's list is run by the tests beside it.
  const contract = tagged.some((file) => file.endsWith('.contract.ts'))
  return contract ? [...tests, 'test/contract/telephony-'] : tests
}

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      minutes: { type: 'string' },
      update: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const only = (values.only ?? '').split(',').filter((row) => row !== '')
  const unknown = only.find((row) => !ROW.test(`[${row}]`))
  if (unknown !== undefined) throw new Error(`"${unknown}" is no row\n${USAGE}`)
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
  if (minutes !== undefined && !(minutes > 0)) throw new Error(`--minutes is a number\n${USAGE}`)
  if (values.help) process.stdout.write(USAGE)
  else process.exitCode = await torture({ only, minutes, table: tableAfter(only, values.update) })
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
