/**
 * Unpacks Debian packages with recorded speech, music and sounds into the cache folder. Nothing is
 * installed on the machine, and no recording enters the repository.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const DOWNLOAD_TIMEOUT_MS = 300_000

export class PackageMissingError extends Error {
  constructor(name: string, cause: unknown) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[1] ?? cause.message) : ''
    super(
      `the recorded part of the set needs the Debian package ${name}, which could not be fetched ` +
        `(${reason}). It takes a Debian machine with a network; "apt-get update" may help.`,
      { cause },
    )
    this.name = 'PackageMissingError'
  }
}

/** Returns the folder that holds the package's files, after fetching it when the cache lacks it. */
export async function unpacked(name: string, cache: string): Promise<string> {
  const folder = join(cache, 'packages', name)
  if (existsSync(folder)) return folder
  const work = `${folder}.part`
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  try {
    const options = { cwd: work, timeout: DOWNLOAD_TIMEOUT_MS }
    await run('apt-get', ['download', name], options)
    const archive = readdirSync(work).find((one) => one.endsWith('.deb')) ?? ''
    await run('dpkg-deb', ['-x', archive, 'files'], options)
    renameSync(join(work, 'files'), folder)
  } catch (error) {
    throw new PackageMissingError(name, error)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return folder
}
