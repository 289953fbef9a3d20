/**
 * Files that several machines share through a bucket. A file stays in the folder of the machine that made it
 * until the bucket has it. Every machine reads through its own cache of limited size.
 */
import { setMaxListeners } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { repeat } from '../async/repeat.js'
import { SharedWork } from '../async/shared-work.js'
import { Slots } from '../async/slots.js'
import type { Clock } from '../clock.js'
import type { Database } from '../database/database.js'
import type { Logger } from '../log.js'
import type { BucketStore } from './bucket-store.js'
import type { CachedFile, FileCache } from './file-cache.js'
import { isThere } from './is-there.js'
import {
  type FileKind,
  FileUnavailableError,
  type KeepFiles,
  type KeptFiles,
} from './kept-files.js'
import { namesIn, removeOrphans } from './remove-orphans.js'
import { findTransfer, queuedNames, queueRemoval, queueSend } from './transfers/transfer-storage.js'
import { createTransfers, type RetryTimes, type TransferKind } from './transfers/transfers.js'

export interface BucketFiles extends AsyncDisposable {
  readonly keep: KeepFiles
  /** True from a failure of the bucket until it answers again. */
  readonly isBucketAway: boolean
  /** Removes cached copies of files that another node has deleted. */
  sweep(): Promise<void>
}

export interface BucketFilesDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly random: () => number
  readonly bucket: BucketStore
  /** Cached copies on this machine; the file names have no extension. */
  readonly cache: FileCache
  readonly retry?: RetryTimes
}

/** Maximum number of concurrent downloads from the bucket: each holds a piece in memory. */
const FETCHING = 8
const SWEEP_EVERY_MS = 10 * 60_000
const BATCH = 500

export function createBucketFiles(deps: BucketFilesDeps): BucketFiles {
  const { db, cache, log } = deps
  const kinds = new Map<string, TransferKind>()
  const transfers = createTransfers({ ...deps, kinds })
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const shared: Shared = {
    work: new SharedWork(),
    slots: new Slots(FETCHING),
    signal: closing.signal,
    wake: () => {
      db.whenDurable(() => {
        transfers.wake()
      })
    },
  }
  const sweep = () => sweepCache(cache, [...kinds.values()], log)
  const sweeps = repeat({ name: 'cached files', log, everyMs: SWEEP_EVERY_MS, work: sweep })
  return {
    keep: (kind) => {
      const files = filesOf(kind, shared, deps)
      kinds.set(kind.name, {
        ...kind,
        pathOf: (fileName) => files.pathOf(fileName),
        keepCopy: (fileName) => copyInCache(kind, fileName, cache),
      })
      return files
    },
    get isBucketAway() {
      return transfers.isBucketAway
    },
    sweep,
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await sweeps[Symbol.asyncDispose]()
      await transfers[Symbol.asyncDispose]()
    },
  }
}

/** Removes cached copies whose owner was deleted on any node. Never rejects. */
async function sweepCache(
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

interface Shared {
  readonly work: SharedWork<CachedFile | undefined>
  readonly slots: Slots
  readonly signal: AbortSignal
  readonly wake: () => void
}

/** Keys of the cache have no slash: it is one folder. */
export const cacheKey = ({ name }: FileKind, fileName: string): string => `${name}-${fileName}`

const objectName = ({ name }: FileKind, fileName: string): string => `${name}/${fileName}`

function filesOf(kind: FileKind, shared: Shared, deps: BucketFilesDeps): KeptFiles {
  const { db, clock, cache } = deps
  const pathOf = (fileName: string): string => join(kind.folder, fileName)
  const here = () => ({ node: db.node, now: clock.now() })
  const queued = (fileName: string) => ({ name: objectName(kind, fileName), kind: kind.name })
  return {
    pathOf,
    enqueue: (tx, fileName) => queueSend(tx, [queued(fileName)], here()),
    enqueueRemoval: (tx, fileName) => queueRemoval(tx, queued(fileName), here()),
    wake: shared.wake,
    find: async (fileName) => {
      const key = cacheKey(kind, fileName)
      const known = await cache.find(key)
      const file =
        known ??
        (await shared.work.run(key, shared.signal, (signal) =>
          obtain(kind, fileName, { ...deps, slots: shared.slots, signal }),
        ))
      return file?.path
    },
    derive: async (fileName, make) => {
      const key = cacheKey(kind, fileName)
      const known = await cache.find(key)
      const made = known ?? (await shared.work.run(key, shared.signal, () => cache.make(key, make)))
      // What `make` makes is never undefined.
      if (made === undefined) throw new FileUnavailableError('it was not made')
      return made.path
    },
    forget: async (fileNames) => {
      for (const fileName of fileNames) {
        await rm(pathOf(fileName), { force: true })
        await cache.remove(cacheKey(kind, fileName))
      }
    },
    recover: async () => {
      await removeOrphans(kind, deps.log)
      await queueForgotten(kind, deps)
      shared.wake()
    },
  }
}

interface ObtainDeps extends BucketFilesDeps {
  readonly slots: Slots
  readonly signal: AbortSignal
}

/** Finds the file in the folder of this machine, or in the bucket. */
async function obtain(
  kind: FileKind,
  fileName: string,
  { db, bucket, cache, slots, signal }: ObtainDeps,
): Promise<CachedFile | undefined> {
  const path = join(kind.folder, fileName)
  // The copy in the cache outlives the transfer that is about to empty the folder.
  if (await isThere(path)) return await cache.keep(cacheKey(kind, fileName), path)
  // This comes before the request: a file that arrives in between is found by the request.
  const row = await findTransfer(db.read, objectName(kind, fileName))
  if (row?.action === 'send' && row.node !== db.node)
    throw new FileUnavailableError('the server that has it has not sent it to the bucket yet')
  const giveBack = await slots.take(signal)
  try {
    return await cache.make(cacheKey(kind, fileName), async (target) => {
      const outcome = await bucket.download(objectName(kind, fileName), target)
      if (outcome.type === 'absent') throw new AbsentError()
      if (outcome.type === 'failed') throw new FileUnavailableError(outcome.reason)
    })
  } catch (error) {
    if (error instanceof AbsentError) return undefined
    if (error instanceof FileUnavailableError) throw error
    throw new FileUnavailableError('it could not be copied to this server', { cause: error })
  } finally {
    giveBack()
  }
}

/** The bucket does not have the file. */
class AbsentError extends Error {
  override readonly name = 'AbsentError'
}

async function copyInCache(kind: FileKind, fileName: string, cache: FileCache): Promise<void> {
  const key = cacheKey(kind, fileName)
  if ((await cache.find(key)) === undefined) await cache.keep(key, join(kind.folder, fileName))
}

/**
 * Queues whole files of the folder without a queue row: those from before the bucket was set, and one whose row
 * was lost in a kill.
 */
async function queueForgotten(kind: FileKind, { db, clock, log }: BucketFilesDeps): Promise<void> {
  const names = await wholeNames(kind, log)
  for (let at = 0; at < names.length; at += BATCH) {
    const files = names
      .slice(at, at + BATCH)
      .map((fileName) => ({ name: objectName(kind, fileName), kind: kind.name }))
    const queued = await queuedNames(
      db.read,
      files.map(({ name }) => name),
    )
    const forgotten = files.filter(({ name }) => !queued.has(name))
    if (forgotten.length > 0)
      await db.write((tx) => queueSend(tx, forgotten, { node: db.node, now: clock.now() }))
  }
}

/** Resolves with the names of whole files; none when the folder cannot be read, which is logged. */
async function wholeNames({ folder, isWhole }: FileKind, log: Logger): Promise<readonly string[]> {
  try {
    return (await namesIn(folder)).filter(isWhole)
  } catch (err) {
    log.error({ err, folder }, 'could not look for files that the bucket does not have')
    return []
  }
}
