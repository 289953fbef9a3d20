import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { IS_LAB } from './real-servers.js'
import { noteServer } from './server-logs.js'
import { ENGINE } from './test-database.js'
import { handleOf, type RunningTrunkline, startTrunkline } from './trunkline.js'

/** The server of this process, for the files that need no settings of their own. */
let shared: RunningTrunkline | undefined

/**
 * A running server without settings, as an account that only this file has. File after file of a worker
 * uses the same one. To dispose of it closes the account, which ends its calls and frees its numbers. A
 * test that stops a server, or counts what all its accounts do, starts one of its own.
 */
export async function joinTrunkline(): Promise<RunningTrunkline> {
  // What is stored on PostgreSQL goes with each file, and real servers share calls out to all who log in.
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

/** It lives as long as the worker; that of a worker which is killed is ended by `servers-setup.ts`. */
async function start(): Promise<RunningTrunkline> {
  const trunkline = await startTrunkline()
  const { process: child } = trunkline.server
  writeFileSync(join(inject('servers'), String(child.pid)), '')
  process.once('exit', () => child.kill('SIGKILL'))
  return trunkline
}
