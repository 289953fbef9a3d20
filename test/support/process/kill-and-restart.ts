import { once } from 'node:events'
import { join } from 'node:path'
import { type RunningTrunkline, startTrunkline } from './trunkline.js'

/** Sends `kill -9`; resolves when the process has exited. */
export async function kill({ server }: RunningTrunkline): Promise<void> {
  const { process: child } = server
  if (child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Starts a server on the first one's data, with its own ports. */
export async function restart(
  first: RunningTrunkline,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningTrunkline> {
  return await startTrunkline({
    DATA_DIR: join(first.folder, 'data'),
    FIRST_ACCOUNT_SID: first.account.sid,
    FIRST_ACCOUNT_TOKEN: first.account.secret,
    ...env,
  })
}

/** Sends `kill -9` and restarts the same server: same folder, account and SIP port. */
export async function killAndRestart(
  first: RunningTrunkline,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningTrunkline> {
  await kill(first)
  return await restart(first, { ...env, SIP_PORT: String(first.sipPort) })
}
