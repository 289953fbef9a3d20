import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { listeningServer, type ServerChild } from '../../../src/cli/server-child.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Starts the server by `npm start` in its own process group; `process` is npm. */
export async function npmStart(env: Readonly<Record<string, string>>): Promise<ServerChild> {
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    env: { PATH: process.env['PATH'], npm_config_update_notifier: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const server = await listeningServer(child)
  return {
    ...server,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      endGroup(child.pid)
    },
  }
}

/** Ends processes that npm left running; after a clean end there are none. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
