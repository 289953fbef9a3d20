import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { IS_LAB } from './real-servers.js'
import { noteServer } from './server-logs.js'
import { ENGINE } from './test-database.js'
import { handleOf, type RunningTrunkline, startTrunkline } from './trunkline.js'

/** The shared server of this process, for files without settings. */
let shared: RunningTrunkline | undefined

/**
 * Returns a running server with default settings, and an account for this file only. The files of a worker
 * share the server. Disposing closes the account, which ends its calls and releases its numbers. A test that
 * stops a server, or counts across accounts, starts its own.
 */
export async function joinTrunkline(): Promise<RunningTrunkline> {
  // On PostgreSQL each file's rows are deleted after it, and real servers spread calls over all connected
  // clients.
  if (ENGINE === 'postgres' || !IS_LAB) return await startTrunkline()
  if (shared === undefined || hasEnded(shared)) shared = await start()
  const running = shared
  const { server, adminToken, folder } = running
  noteServer(server)
  const made = await running.adminApi('POST', '/accounts', {
    friendlyName: 'A test file',
    intl: true,
  })
  if (made.status !== 201) throw new Error(`no account: ${JSON.stringify(made.body)}`)
  const account = { sid: String(made.body['accountSid']), secret: String(made.body['authToken']) }
  return {
    ...handleOf({ server, adminToken, account, folder }),
    [Symbol.asyncDispose]: async () => {
      const closed = await running.adminApi('DELETE', `/accounts/${account.sid}`)
      if (closed.status >= 300) throw new Error(`not closed: ${JSON.stringify(closed.body)}`)
    },
  }
}

function hasEnded({ server: { process: child } }: RunningTrunkline): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Starts a server that lives as long as the worker; after a kill, `servers-setup.ts` ends it. */
async function start(): Promise<RunningTrunkline> {
  const trunkline = await startTrunkline()
  const { process: child } = trunkline.server
  writeFileSync(join(inject('servers'), String(child.pid)), '')
  process.once('exit', () => child.kill('SIGKILL'))
  return trunkline
}
