import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'

/** A compressed file that is written piece by piece; a slow disk slows the writer down. */
export class GzipFile {
  readonly #gzip: Gzip
  readonly #written: Promise<void>
  #failure: unknown

  constructor(path: string) {
    this.#gzip = createGzip()
    this.#written = pipeline(this.#gzip, createWriteStream(path))
    // The failure is thrown by the next write, or by the end.
    this.#written.catch((error: unknown) => {
      this.#failure = error
    })
  }

  async write(text: string): Promise<void> {
    if (this.#failure !== undefined) await this.#written
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, 'drain'), this.#written])
  }

  /** Resolves once the file is complete. */
  async end(): Promise<void> {
    this.#gzip.end()
    await this.#written
  }

  /** Gives the file up; it stays incomplete. */
  abandon(): void {
    this.#gzip.destroy()
  }
}
