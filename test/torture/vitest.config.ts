import { defineConfig } from 'vitest/config'
import { alone, SQLITE_PROJECTS } from '../../vitest.config.js'

/** The ordinary projects and the long one, which no ordinary run waits for: one file at a time. */
export default defineConfig({
  test: {
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
    ],
  },
})
