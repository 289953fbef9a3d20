/** Transfers files between this process and media servers that share no folder with it. */
import { basename, dirname, join } from 'node:path'
import { pause } from '../../../platform/async/sleep.js'
import type { Logger } from '../../../platform/log.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'
import type { FileListener } from './file-listener.js'

/** The folder of recordings: its path for this process and its path on the media servers. */
export interface RecordingPlace {
  readonly here: string
  readonly onMediaServer: string
}

export interface MediaFilesDeps {
  readonly listener: FileListener
  readonly recordings: RecordingPlace
  /** The servers that may have a file; `connection` is undefined while a server is not connected. */
  readonly servers: () => readonly {
    readonly name: string
    readonly connection: MediaConnection | undefined
  }[]
  readonly log: Logger
}

/** How long to wait for servers that are not connected, ms. */
const ASK_LIMIT_MS = 30_000
const ASK_EVERY_MS = 500

/** Fetches recordings from media servers, and creates download URLs for them. */
export class MediaFiles {
  readonly #deps: MediaFilesDeps
  readonly #stop = new AbortController()

  constructor(deps: MediaFilesDeps) {
    this.#deps = deps
  }

  readonly urlOf = (path: string): string => this.#deps.listener.urlOf(path)

  /**
   * Fetches a recording from the named server, or from the server that has it. The server keeps the file
   * until the whole file is here, so a network loss or a killed process loses nothing. Resolves to false when
   * no server has the file, or when the servers that may have it did not connect in time.
   */
  async bring(path: string, serverName?: string): Promise<boolean> {
    const { log, servers } = this.#deps
    const open = new Set(
      servers().flatMap(({ name }) => (name === (serverName ?? name) ? [name] : [])),
    )
    const { signal } = this.#stop
    for (let waitedMs = 0; waitedMs < ASK_LIMIT_MS && open.size > 0; waitedMs += ASK_EVERY_MS) {
      for (const { name, connection } of this.#upAmong(open)) {
        // Without a known server the recording is an earlier process's; it is complete once its
        // channel has ended.
        if (serverName === undefined) await connection.orphansEnded
        const answer = await this.#ask(connection, path)
        if (answer === 'brought') return true
        if (answer === 'absent') open.delete(name)
      }
      if (open.size > 0) await pause(ASK_EVERY_MS, signal)
      if (signal.aborted) break
    }
    if (open.size > 0) log.warn({ path, servers: [...open] }, 'could not fetch a recording')
    return false
  }

  close(): void {
    this.#stop.abort()
  }

  /** Returns the open connections to the named servers. */
  #upAmong(names: ReadonlySet<string>) {
    return this.#deps
      .servers()
      .flatMap(({ name, connection }) =>
        !names.has(name) || connection === undefined || connection.isLost
          ? []
          : [{ name, connection }],
      )
  }

  async #ask(connection: MediaConnection, path: string): Promise<'brought' | 'absent' | 'failed'> {
    const { listener, log, recordings } = this.#deps
    if (dirname(path) !== recordings.onMediaServer) return 'absent'
    const context = { path, server: connection.name }
    try {
      if (!(await connection.files.has(path))) return 'absent'
      const expected = listener.expect(join(recordings.here, basename(path)))
      const failure = await failureOf(connection.files.send(path, expected.url))
      // A complete file here is what counts, not the server's reply.
      if (await expected.finish()) {
        const err = await failureOf(connection.files.remove(path))
        if (err !== undefined)
          log.warn(
            { err, ...context },
            'could not delete a fetched recording from the media server',
          )
        return 'brought'
      }
      log.warn({ err: failure, ...context }, 'the media server did not send a recording')
    } catch (err) {
      log.warn({ err, ...context }, 'could not ask the media server for a recording')
    }
    return 'failed'
  }
}

/** Resolves with the rejection of the work; undefined when it succeeds. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
    return undefined
  } catch (error) {
    return error
  }
}
