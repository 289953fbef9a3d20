/** Returns docs/errors.md: every number of the catalogue, with its tests or the reason why it cannot occur. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type CataloguedError, ERROR_CATALOGUE } from '../../../src/voice/errors/error-catalogue.js'
import { ABSENT_ERRORS } from './absent-errors.js'

const TEST = resolve(import.meta.dirname, '../..')
const SHOWN_TESTS = 2

/** Test files that contain each five-digit number, shortest name first. */
export function testsByNumber(): ReadonlyMap<number, readonly string[]> {
  const tests = new Map<number, string[]>()
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(test|contract)\.ts$/.test(file))
    .sort((a, b) => a.length - b.length || a.localeCompare(b))
  for (const file of files) {
    const text = readFileSync(join(TEST, file), 'utf8')
    const numbers = new Set(text.match(/(?<![\d.+])\d{5}(?!\d)/g))
    for (const number of numbers)
      tests.set(Number(number), [...(tests.get(Number(number)) ?? []), file])
  }
  return tests
}

export function errorDocument(tests: ReadonlyMap<number, readonly string[]>): string {
  const catalogue = Object.entries<CataloguedError>(ERROR_CATALOGUE).map(
    ([number, { name, text, remedy }]) => {
      const files = (tests.get(Number(number)) ?? []).slice(0, SHOWN_TESTS)
      return `| ${number} | ${name} | ${text} | ${remedy} | ${files.map((file) => `\`test/${file}\``).join('<br>')} |`
    },
  )
  const absent = ABSENT_ERRORS.map(
    ({ numbers, why }) => `| ${numbers.map(String).join(', ')} | ${why} |`,
  )
  return `# Error numbers

Written by a test from \`src/voice/errors\`; not edited by hand (\`npx vitest run test/unit/voice/errors -u\`).
The numbers are those of the voice API: in error answers, in the event log of a call, and as
\`ErrorCode\` in callbacks. A server shows the same list at \`/docs/errors\`.

| number | name | what it means | what to do | tests that provoke it |
|---|---|---|---|---|
${catalogue.join('\n')}

## Numbers of the convention that do not occur

| numbers | why |
|---|---|
${absent.join('\n')}
`
}
