/** Counts the thread's open files, so that the engine's stats show a leak. */
import type { FileHandle } from 'node:fs/promises'

export class OpenFiles {
  #count = 0

  get count(): number {
    return this.#count
  }

  async open(opening: () => Promise<FileHandle>): Promise<FileHandle> {
    const handle = await opening()
    this.#count++
    return handle
  }

  /**
   * Closes the file. Never rejects: the descriptor is released whatever error the system returns (Linux
   * close(2)).
   */
  async close(handle: FileHandle): Promise<void> {
    this.#count--
    try {
      await handle.close()
    } catch (error) {
      process.emitWarning(`closing a media file: ${String(error)}`)
    }
  }
}
