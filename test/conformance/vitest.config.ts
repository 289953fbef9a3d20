import { defineConfig } from 'vitest/config'
import { alone } from '../../vitest.config.js'
import { FILES_WITHOUT_CALLS } from './scope.js'

const limits = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } }

/**
 * The contract suite and the end-to-end suite on real servers, one file at a time: drachtio shares its
 * calls out among all the applications that are logged in.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/conformance/conformance-reporter.ts'],
    projects: [
      {
        test: {
          name: 'conformance',
          include: [
            'test/contract/telephony-real.test.ts',
            'test/contract/telephony-files-real.test.ts',
            'test/contract/telephony-servers-real.test.ts',
            'test/contract/media-real.test.ts',
            'test/contract/telephony-tls-real.test.ts',
            'test/contract/event-socket-same-real.test.ts',
            'test/contract/sip-same-real.test.ts',
            'test/e2e/**/*.test.ts',
          ],
          exclude: FILES_WITHOUT_CALLS.map((name) => `test/e2e/${name}.e2e.test.ts`),
          setupFiles: [
            'test/conformance/skip-inapplicable.ts',
            'test/support/process/failed-test-setup.ts',
          ],
          ...limits,
          ...alone(1),
        },
      },
    ],
  },
})
