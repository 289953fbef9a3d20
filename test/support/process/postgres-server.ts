import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const KEEPER = fileURLToPath(new URL('./postgres-keeper.mjs', import.meta.url))

/**
 * A PostgreSQL server of a test run or a benchmark, on 127.0.0.1. A keeper process stops it and
 * removes its data.
 */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** The folder of its data, which the user that runs it owns. */
  readonly folder: string
  /** The URL of the database of this name. */
  url(database: string): string
  /** The process id of the server's first process, the parent of its connections. */
  readonly pid: number
  /** Starts the server again, on its port and its data, after a kill. */
  start(): Promise<void>
}

interface Started {
  readonly port: number
  readonly pid: number
  readonly folder: string
}

/**
 * Starts a server with these settings (`name=value`), its data in a new folder below `parentFolder`.
 * Rejects with the reason where there is no PostgreSQL.
 */
export async function startPostgres(
  settings: readonly string[] = [],
  parentFolder = '',
): Promise<PostgresServer> {
  // Its own group: it goes on until our end of its standard input closes.
  const keeper = spawn(process.execPath, [KEEPER, parentFolder, ...settings], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  const answers = createInterface({ input: keeper.stdout })[Symbol.asyncIterator]()
  const answer = async (): Promise<Started> => {
    const line = (await answers.next()) as IteratorResult<string, undefined>
    // Our own keeper wrote the line.
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
