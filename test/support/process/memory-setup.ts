import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** An in-memory file system on Linux. */
const MEMORY = '/dev/shm'
const PREFIX = 'trunkline-tests-'
/** Minimum free bytes; a container may have only 64 MB there. */
const LEAST_BYTES = 4 * 1024 ** 3

/**
 * Places the tests' folders in memory if there is enough space, else in `TMPDIR` on disk. Tests kill processes
 * but never cut the power, so disk flushes prove nothing and cost milliseconds, thousands of times.
 */
export default function setUp(): (() => void) | undefined {
  if (!hasRoom()) return undefined
  removeLeftovers()
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  // The user of the run's PostgreSQL server must be able to traverse it.
  mkdirSync(folder, { mode: 0o711 })
  process.env['TMPDIR'] = folder
  return () => {
    rmSync(folder, { recursive: true, force: true })
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= LEAST_BYTES
  } catch {
    // Other systems have no such folder.
    return false
  }
}

/** Removes folders of killed runs, except a small disk that is still mounted. */
function removeLeftovers(): void {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(PREFIX) || isAlive(Number(name.slice(PREFIX.length)))) continue
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
