/** How files travel between this process and media servers that share no folder with it. */
import { basename, dirname, join } from 'node:path'
import { pause } from '../../../platform/async/sleep.js'
import type { Logger } from '../../../platform/log.js'
import type { MediaConnection } from '../freeswitch/media-connection.js'
import type { FileListener } from './file-listener.js'

/** The folder of recordings, as this process and as the media servers name it. */
export interface RecordingPlace {
  readonly here: string
  readonly onMediaServer: string
}

export interface MediaFilesDeps {
  readonly listener: FileListener
  readonly recordings: RecordingPlace
  /** The servers that may have a file; `undefined` stands for one that is not up. */
  readonly servers: () => readonly {
    readonly name: string
    readonly connection: MediaConnection | undefined
  }[]
  readonly log: Logger
}

/** The time for which a file is asked of servers that are not up. */
const ASK_LIMIT_MS = 30_000
const ASK_EVERY_MS = 500

/** Brings recordings here, and names files for the media servers. */
export class MediaFiles {
  readonly #deps: MediaFilesDeps
  readonly #stop = new AbortController()

  constructor(deps: MediaFilesDeps) {
    this.#deps = deps
  }

  readonly urlOf = (path: string): string => this.#deps.listener.urlOf(path)

  /**
   * Brings a recording from the server of that name, or from whichever has it. The server keeps the
   * file until all of it is here, so neither a lost network nor a killed process loses it. Resolves to
   * false when no server has the file, or when those that may have it were not up in time.
   */
  async bring(path: string, serverName?: string): Promise<boolean> {
    const { log, servers } = this.#deps
    const open = new Set(
      servers().flatMap(({ name }) => (name === (serverName ?? name) ? [name] : [])),
    )
    const { signal } = this.#stop
    for (let waitedMs = 0; waitedMs < ASK_LIMIT_MS && open.size > 0; waitedMs += ASK_EVERY_MS) {
      for (const { name, connection } of this.#upAmong(open)) {
        // An earlier process's recording, which no server is known for, is whole when its channel has ended.
        if (serverName === undefined) await connection.orphansEnded
        const answer = await this.#ask(connection, path)
        if (answer === 'brought') return true
        if (answer === 'absent') open.delete(name)
      }
      if (open.size > 0) await pause(ASK_EVERY_MS, signal)
      if (signal.aborted) break
    }
    if (open.size > 0) log.warn({ path, servers: [...open] }, 'a recording was not brought here')
    return false
  }

  close(): void {
    this.#stop.abort()
  }

  /** The connections to those of the named servers that are up. */
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
      // What counts is the whole file here, not the server's last word.
      if (await expected.finish()) {
        const err = await failureOf(connection.files.remove(path))
        if (err !== undefined)
          log.warn({ err, ...context }, 'a recording stays on the media server')
        return 'brought'
      }
      log.warn({ err: failure, ...context }, 'the media server did not send a recording')
    } catch (err) {
      log.warn({ err, ...context }, 'the media server did not tell whether it has a recording')
    }
    return 'failed'
  }
}

/** Resolves with what the work rejected with; undefined when it is done. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
    return undefined
  } catch (error) {
    return error
  }
}
