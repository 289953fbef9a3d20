import { afterAll, afterEach } from 'vitest'
import { forgetServers, lastServerLogs } from './server-logs.js'

/**
 * Runs before each end-to-end test file. A failed test gets a second error with its servers' logs, which are
 * the only explanation of a failure that occurred once on another machine.
 */
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  const logs = lastServerLogs()
  if (logs !== undefined) throw new Error(`the servers of the failed test logged last:\n${logs}`)
})
afterAll(forgetServers)
