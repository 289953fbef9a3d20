import { statfs } from 'node:fs/promises'
import { repeat } from '../async/repeat.js'
import type { Logger } from '../log.js'

/** Watches the free space of a folder's disk until disposed. */
export interface DiskSpace extends AsyncDisposable {
  /** True while there is less space than a server needs. */
  readonly isFull: boolean
}

/** Free space below which a disk counts as full, bytes: a few recordings fill it within a minute. */
const MIN_FREE_BYTES = 8 * 1024 * 1024
const LOOK_EVERY_MS = 2_000

/** Resolves after the first check. */
export async function watchDiskSpace(folder: string, log: Logger): Promise<DiskSpace> {
  let isFull = false
  const look = async (): Promise<void> => {
    try {
      const { bavail, bsize } = await statfs(folder)
      const freeBytes = bavail * bsize
      const wasFull = isFull
      isFull = freeBytes < MIN_FREE_BYTES
      if (isFull && !wasFull) log.error({ folder, freeBytes }, 'the disk is full')
      if (!isFull && wasFull) log.info({ folder, freeBytes }, 'the disk has room again')
    } catch (err) {
      log.warn({ err, folder }, 'could not read the free space of the disk')
    }
  }
  await look()
  const looks = repeat({ name: 'free space of the disk', log, everyMs: LOOK_EVERY_MS, work: look })
  return {
    get isFull() {
      return isFull
    },
    [Symbol.asyncDispose]: () => looks[Symbol.asyncDispose](),
  }
}
