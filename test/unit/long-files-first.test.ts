import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LONG_FILES, longFirst } from '../support/process/long-files-first.js'

const file = (name: string, path: string) => ({
  project: { name },
  moduleId: `/checkout/test/e2e/${path}.e2e.test.ts`,
})

it('starts the long files of each project first, and leaves the order of the others', () => {
  const ordered = longFirst([
    file('e2e', 'registrar'),
    file('e2e', 'exports'),
    file('e2e', 'webhooks'),
    file('e2e', 'telephony-faults'),
    file('e2e-postgres', 'webhooks'),
    file('e2e-postgres', 'exports'),
  ])
  expect(ordered).toEqual([
    file('e2e', 'telephony-faults'),
    file('e2e', 'exports'),
    file('e2e', 'registrar'),
    file('e2e', 'webhooks'),
    file('e2e-postgres', 'exports'),
    file('e2e-postgres', 'webhooks'),
  ])
})

it.each(LONG_FILES)('%s is a file', (path) => {
  expect(existsSync(path)).toBe(true)
})
