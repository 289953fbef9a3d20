import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it.each([
  ['demo', 'npm run demo'],
  ['timeline', 'npm run timeline'],
  ['bench', 'npm run bench'],
  ['bench-amd', 'npm run bench:amd'],
  ['torture', 'npm run torture'],
])('%s --help tells how it is used and does nothing else', async (file, usage) => {
  const command = new URL(`../../dist/cli/${file}.js`, import.meta.url).pathname
  const { stdout, stderr } = await run(process.execPath, [command, '--help'])
  expect(stdout).toContain(usage)
  expect(stderr).toBe('')
})
