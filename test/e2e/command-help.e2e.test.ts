import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

it.each([
  'demo',
  'timeline',
  'bench',
  'bench:amd',
  'torture',
  'conformance',
])('npm run %s -- --help tells how it is used and does nothing else', async (name) => {
  // What the script runs once all is installed and built.
  const command = scripts[name]?.split(' && ').at(-1) ?? ''
  const { stdout, stderr } = await run('sh', ['-c', `${command} --help`])
  expect(stdout).toContain(`npm run ${name}`)
  expect(stderr).toBe('')
})
