/** Counts the files that the thread has open: a leak shows in the engine's stats. */
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
   * Closes the file. Never rejects: the descriptor is gone whatever the system answers (Linux
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
