import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
const PREFIX = 'trunkline-tests-'
/** Less than a run takes: a container may have 64 MB there. */
const LEAST_BYTES = 4 * 1024 ** 3

/**
 * Keeps the folders of a run's tests in memory where there is room, and on the disk of `TMPDIR`
 * elsewhere. Tests kill processes and never the power, so that a flush of the disk proves nothing; it
 * takes milliseconds, thousands of times.
 */
export default function setUp(): (() => void) | undefined {
  if (!hasRoom()) return undefined
  removeLeftovers()
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  // The user of the run's PostgreSQL server has to pass through.
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

/** Removes what runs left that were killed; a small disk that is still mounted there stays. */
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
