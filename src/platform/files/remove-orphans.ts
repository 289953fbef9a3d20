import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log.js'

export interface OwnedFiles {
  readonly folder: string
  /** Returns the owner in a file's name; undefined for files that are not ours. */
  readonly ownerOf: (fileName: string) => string | undefined
  /** The owners in the list that exist. */
  readonly existing: (owners: readonly string[]) => Promise<readonly string[]>
}

const BATCH = 500

/**
 * Removes files whose owner is not in the database: a process was killed between file and commit, or another
 * node deleted the owner. `writtenBefore` spares newer files, whose row may still come; without it rows must
 * precede files. A disk failure is logged and does not stop the start.
 */
export async function removeOrphans(
  files: OwnedFiles,
  log: Logger,
  writtenBefore = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { folder } = files
  try {
    const removed = await removeAll(files, writtenBefore)
    if (removed > 0) log.warn({ folder, removed }, 'removed files that no row names')
  } catch (err) {
    log.error({ err, folder }, 'could not remove files that no row names')
  }
}

async function removeAll(
  { folder, ownerOf, existing }: OwnedFiles,
  writtenBefore: number,
): Promise<number> {
  const filesOf = new Map<string, string[]>()
  for (const name of await namesIn(folder)) {
    const owner = ownerOf(name)
    if (owner !== undefined) filesOf.set(owner, [...(filesOf.get(owner) ?? []), name])
  }
  const owners = [...filesOf.keys()]
  let removed = 0
  for (let at = 0; at < owners.length; at += BATCH) {
    const batch = owners.slice(at, at + BATCH)
    const there = new Set(await existing(batch))
    const orphans = batch.filter((owner) => !there.has(owner))
    for (const name of orphans.flatMap((owner) => filesOf.get(owner) ?? [])) {
      const path = join(folder, name)
      if (!(await isOlder(path, writtenBefore))) continue
      await rm(path, { force: true })
      removed += 1
    }
  }
  return removed
}

/** Resolves with the names in a folder; none when the folder does not exist yet. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

async function isOlder(path: string, writtenBefore: number): Promise<boolean> {
  if (writtenBefore === Number.POSITIVE_INFINITY) return true
  try {
    return (await stat(path)).mtimeMs < writtenBefore
  } catch (error) {
    // Its own process has removed it meanwhile.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}
