import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const KEEPER = fileURLToPath(new URL('./postgres-keeper.mjs', import.meta.url))

/**
 * A PostgreSQL server of a test run or benchmark, on 127.0.0.1. A keeper process stops it and removes its data.
 */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** Data folder, owned by the user that runs the server. */
  readonly folder: string
  /** URL of the database with this name. */
  url(database: string): string
  /** Process id of the main process, the parent of its connections. */
  readonly pid: number
  /** Restarts the killed server on its port and data. */
  start(): Promise<void>
}

interface Started {
  readonly port: number
  readonly pid: number
  readonly folder: string
}

/**
 * Starts a server with these settings (`name=value`) and a new data folder below `parentFolder`. Rejects with
 * the reason when PostgreSQL is missing.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  parentFolder = '',
): Promise<PostgresServer> {
  // In its own process group: it runs until our end of its standard input closes.
  const keeper = spawn(process.execPath, [KEEPER, parentFolder, ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const answers = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<Started> => {
    const line = (await answers.next()) as IteratorResult<string, undefined>
    // written by our own keeper
    const started = JSON.parse(line.value ?? '{"reason":"the keeper ended"}') as
      | Started
      | { readonly reason: string }
    if ('reason' in started) throw new Error(started.reason)
    return started
  }
  try {
    const started = await answer()
    let { pid } = started
    return {
      port: started.port,
      folder: started.folder,
      url: (database) => `postgres://trunkline@127.0.0.1:${started.port}/${database}`,
      get pid() {
        return pid
      },
      start: async () => {
        keeper.stdin.write('start\n')
        pid = (await answer()).pid
      },
      [Symbol.asyncDispose]: () => stop(keeper),
    }
  } catch (error) {
    await stop(keeper)
    throw error
  }
}

async function stop(keeper: ChildProcess): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return
  const exited = once(keeper, 'exit')
  keeper.stdin?.end()
  await exited
}
