/**
 * Unpacks Debian packages with recorded speech, music and sounds into the cache folder. Nothing is
 * installed on the machine, and no recording enters the repository.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
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

/**
 * Returns the folder that holds the package's files, after fetching it when the cache lacks it. Several
 * runs may do so at once: each unpacks into a folder of its own, and the first one's is kept.
 */
export async function unpacked(name: string, cache: string, fetch = fetchPackage): Promise<string> {
  const packages = join(cache, 'packages')
  const folder = join(packages, name)
  if (existsSync(folder)) return folder
  mkdirSync(packages, { recursive: true })
  const work = mkdtempSync(`${folder}.part-`)
  try {
    keep(await fetch(name, work), folder)
  } catch (error) {
    throw new PackageMissingError(name, error)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return folder
}

/** Unpacks a package below `work`, which is empty; returns the folder with its files. */
async function fetchPackage(name: string, work: string): Promise<string> {
  const options = { cwd: work, timeout: DOWNLOAD_TIMEOUT_MS }
  await run('apt-get', ['download', name], options)
  const archive = readdirSync(work).find((one) => one.endsWith('.deb')) ?? ''
  await run('dpkg-deb', ['-x', archive, 'files'], options)
  return join(work, 'files')
}

/** Moves the files into place, unless another run was first: a folder replaces no full one. */
function keep(files: string, folder: string): void {
  try {
    renameSync(files, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
