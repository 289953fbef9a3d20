import { defineConfig } from 'vitest/config'

const E2E = 'test/e2e/**/*.test.ts'
/** Files that load the machine or measure it closely: each runs alone. */
const ALONE = [
  'burst',
  'digits',
  'kill',
  'machine-detection',
  'overload',
  'rtp-theft',
  'streams',
].map((name) => `test/e2e/${name}.e2e.test.ts`)

/** Calls take real time, on a machine that has other work as well. */
const e2e = { testTimeout: 60_000, hookTimeout: 30_000, expect: { poll: { timeout: 20_000 } } }

/** Runs files two at a time, group after group. */
const beside = (groupOrder: number) => ({ maxWorkers: 2, sequence: { groupOrder } })
/** Runs one file at a time. */
export const alone = (groupOrder: number) => ({ maxWorkers: 1, sequence: { groupOrder } })

/** The projects that keep their data in SQLite. */
export const SQLITE_PROJECTS = [
  { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 20_000, ...beside(1) },
  {
    name: 'contract',
    include: ['test/contract/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    ...beside(1),
  },
  { name: 'e2e', include: [E2E], exclude: ALONE, ...e2e, ...beside(2) },
  { name: 'e2e-alone', include: ALONE, ...e2e, ...alone(3) },
]

export default defineConfig({
  test: {
    globalSetup: 'test/support/process/postgres-setup.ts',
    projects: SQLITE_PROJECTS.map((test) => ({ test })),
  },
})
