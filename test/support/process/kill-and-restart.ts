import { once } from 'node:events'
import { join } from 'node:path'
import { type RunningTrunkline, startTrunkline } from './trunkline.js'

/** `kill -9`; resolves when the process is gone. */
export async function kill({ server }: RunningTrunkline): Promise<void> {
  const { process: child } = server
  if (child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Starts a server on the data of the first one; it has ports of its own. */
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

/** `kill -9`, and the same server again: same folder, account and SIP port. */
export async function killAndRestart(
  first: RunningTrunkline,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningTrunkline> {
  await kill(first)
  return await restart(first, { ...env, SIP_PORT: String(first.sipPort) })
}
