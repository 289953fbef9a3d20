import type { Logger } from '../log.js'
import { readTlsFiles, type TlsCredentials, type TlsFiles } from './tls-files.js'

export interface WatchOptions {
  /** The credentials in use. */
  readonly current: TlsCredentials
  readonly everyMs: number
  /** Called with each new certificate, key or list of authorities. */
  readonly onChange: (credentials: TlsCredentials) => void
  readonly log: Logger
}

/**
 * Rereads the files periodically, since tools that renew certificates replace links and folders as well as
 * files. Files that do not match, as in the middle of a renewal, are ignored.
 */
export function watchTlsFiles(files: TlsFiles, options: WatchOptions): AsyncDisposable {
  const watch = new TlsWatch(files, options)
  const timer = setInterval(() => {
    watch.check()
  }, options.everyMs).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await watch.close()
    },
  }
}

class TlsWatch {
  readonly #files: TlsFiles
  readonly #options: WatchOptions
  #current: TlsCredentials
  #running: Promise<void> | undefined
  #isClosed = false
  /** The reason in the last warning; the same reason is not logged twice in a row. */
  #told: string | undefined

  constructor(files: TlsFiles, options: WatchOptions) {
    this.#files = files
    this.#options = options
    this.#current = options.current
  }

  check(): void {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }

  async #read(): Promise<void> {
    const { log, onChange } = this.#options
    try {
      const read = await readTlsFiles(this.#files)
      this.#told = undefined
      const { cert, key, ca } = this.#current
      if (this.#isClosed || (read.cert === cert && read.key === key && read.ca === ca)) return
      this.#current = read
      onChange(read)
      log.info({ validTo: new Date(read.validTo).toISOString() }, 'took a new TLS certificate')
    } catch (err) {
      const reason = err instanceof Error ? err.message : String(err)
      if (reason !== this.#told) log.warn({ reason }, 'kept the TLS certificate that is in use')
      this.#told = reason
    }
  }
}
