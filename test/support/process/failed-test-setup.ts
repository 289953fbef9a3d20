import { afterAll, afterEach } from 'vitest'
import { forgetServers, lastServerLogs } from './server-logs.js'

/**
 * Runs before each file of end-to-end tests. A failed test gets a second error with what its servers
 * logged: a failure that was seen once, on another machine, has nothing else that says why.
 */
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  const logs = lastServerLogs()
  if (logs !== undefined) throw new Error(`the servers of the failed test logged last:\n${logs}`)
})
afterAll(forgetServers)
