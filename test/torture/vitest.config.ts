import { defineConfig, mergeConfig } from 'vitest/config'
import ordinary from '../../vitest.config.js'

/** The ordinary projects and the long one, which no ordinary run waits for. */
export default mergeConfig(
  ordinary,
  defineConfig({
    test: {
      fileParallelism: false,
      reporters: ['default', './test/torture/row-reporter.ts'],
      projects: [
        {
          test: {
            name: 'torture',
            include: ['test/torture/**/*.torture.test.ts'],
            testTimeout: 600_000,
            hookTimeout: 60_000,
          },
        },
      ],
    },
  }),
)
