import type { Logger } from '../log.js'
import type { FileCache } from './file-cache.js'
import type { FileKind } from './kept-files.js'

const BATCH = 500

/** Removes cached copies whose owner has been deleted, on whichever node. Never rejects. */
export async function sweepCache(
  cache: FileCache,
  kinds: readonly FileKind[],
  log: Logger,
): Promise<void> {
  try {
    const keys = await cache.keys()
    for (const kind of kinds) await sweepKind(cache, kind, keys)
  } catch (err) {
    log.error({ err }, 'could not remove cached copies of deleted files')
  }
}

async function sweepKind(cache: FileCache, kind: FileKind, keys: readonly string[]): Promise<void> {
  const beginning = `${kind.name}-`
  const own = keys.flatMap((key) => {
    const owner = key.startsWith(beginning) ? kind.ownerOf(key.slice(beginning.length)) : undefined
    return owner === undefined ? [] : [{ key, owner }]
  })
  for (let at = 0; at < own.length; at += BATCH) {
    const batch = own.slice(at, at + BATCH)
    const there = new Set(await kind.existing(batch.map(({ owner }) => owner)))
    for (const { key } of batch.filter(({ owner }) => !there.has(owner))) await cache.remove(key)
  }
}
