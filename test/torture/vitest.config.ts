import { defineConfig } from 'vitest/config'
import { alone, SQLITE_PROJECTS } from '../../vitest.config.js'

/** What holds on PostgreSQL as well, with two nodes. */
const STORED = ['billing', 'messages', 'messages-list', 'number-orders']

/** The ordinary projects and the long one, which no ordinary run waits for: one file at a time. */
export default defineConfig({
  test: {
    globalSetup: ['postgres', 'servers'].map((what) => `test/support/process/${what}-setup.ts`),
    reporters: ['default', './test/torture/row-reporter.ts'],
    projects: [
      ...SQLITE_PROJECTS.map((test) => ({ test: { ...test, ...alone(1) } })),
      {
        test: {
          name: 'torture',
          include: ['test/torture/**/*.torture.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 60_000,
          ...alone(1),
        },
      },
      {
        test: {
          name: 'torture-postgres',
          include: STORED.map((name) => `test/torture/${name}.torture.test.ts`),
          env: { TEST_DATABASE: 'postgres' },
          setupFiles: ['test/support/process/postgres-project.ts'],
          testTimeout: 1_200_000,
          hookTimeout: 60_000,
          ...alone(2),
        },
      },
    ],
  },
})
