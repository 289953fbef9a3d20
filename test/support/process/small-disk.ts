import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from './temp-folder.js'

/** A folder on its own small disk, which a test can fill. */
export interface SmallDisk extends Disposable {
  readonly path: string
  /** Fills the remaining space. */
  fill(): void
  free(): void
}

const CHUNK = Buffer.alloc(64 * 1024, 1)

/** Mounts a tmpfs of this size; returns the reason when it cannot. */
export function smallDisk(megabytes: number): SmallDisk | { readonly reason: string } {
  const folder = tempFolder()
  const mounted = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${megabytes}m`,
    'tmpfs',
    folder.path,
  ])
  if (mounted.status !== 0) {
    folder[Symbol.dispose]()
    return { reason: mounted.error?.message ?? mounted.stderr.toString('utf8').trim() }
  }
  const filler = join(folder.path, 'filler')
  return {
    path: folder.path,
    fill: () => {
      const file = openSync(filler, 'a')
      try {
        for (let size = CHUNK.length; size >= 1; size = Math.floor(size / 2))
          while (isWritten(file, size));
      } finally {
        closeSync(file)
      }
    },
    free: () => {
      rmSync(filler, { force: true })
    },
    [Symbol.dispose]: () => {
      // Unmounts lazily: a killed process may keep a file open for a moment.
      spawnSync('umount', ['-l', folder.path])
      folder[Symbol.dispose]()
    },
  }
}

function isWritten(file: number, size: number): boolean {
  try {
    return writeSync(file, CHUNK, 0, size) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
