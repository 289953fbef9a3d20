/** Wires the storage of finished files: folders below DATA_DIR, or the operator's bucket. */
import { join } from 'node:path'
import type { Api } from '../platform/api/api.js'
import { systemClock } from '../platform/clock.js'
import { createBucketFiles } from '../platform/files/bucket-files.js'
import type { BucketSettings } from '../platform/files/bucket-place.js'
import { type BucketStore, createBucketStore } from '../platform/files/bucket-store.js'
import { FileCache } from '../platform/files/file-cache.js'
import { createFileLinks } from '../platform/files/file-links.js'
import { filesApi } from '../platform/files/file-operations.js'
import type { FileStore } from '../platform/files/file-store.js'
import { createFolderFiles } from '../platform/files/folder-files.js'
import { createFolderStore } from '../platform/files/folder-store.js'
import type { KeepFiles } from '../platform/files/kept-files.js'
import { createNodeFolders } from '../platform/files/node-folders.js'
import { countWaiting, type WaitingFiles } from '../platform/files/transfers/transfer-storage.js'
import { createOutbound } from '../platform/http/outbound.js'
import type { Base } from './base.js'
import { cachePlaces } from './caches.js'

export interface Files {
  readonly store: FileStore
  readonly keep: KeepFiles
  /** API that serves links; undefined when a bucket serves them. */
  readonly api: Api<unknown> | undefined
  /** True while the bucket is unreachable. */
  readonly isBucketAway: boolean
  /** Counts the files that are queued for the bucket; undefined without one. */
  waiting(): Promise<WaitingFiles | undefined>
}

export function wireFiles(base: Base, publicUrl: string): Files {
  const { clock, config, dataDir, db, disposer, log, vault } = base
  if (config.bucket !== undefined) return wireBucket(base, config.bucket)
  const links = createFileLinks({
    key: vault.keyFor('links to files'),
    clock,
    baseUrl: () => publicUrl,
  })
  const store = createFolderStore(join(dataDir, 'files'), links)
  // Only one node uses an SQLite database.
  const keep: KeepFiles =
    db.engine === 'sqlite'
      ? (kind) => createFolderFiles(kind, log)
      : disposer.use(createNodeFolders({ clock: systemClock, log })).keep
  return {
    store,
    keep,
    api: filesApi(store, links, log),
    isBucketAway: false,
    waiting: () => Promise.resolve(undefined),
  }
}

function wireBucket(base: Base, settings: BucketSettings): Files {
  const { clock, db, disposer, log, random } = base
  const bucket = openBucket(base, settings)
  const { directory, maxCacheBytes: maxBytes } = cachePlaces(base).files
  const cache = new FileCache({ directory, maxBytes, clock, extension: '' })
  const shared = disposer.use(createBucketFiles({ db, clock, log, random, bucket, cache }))
  return {
    store: bucket,
    keep: shared.keep,
    api: undefined,
    get isBucketAway() {
      return shared.isBucketAway
    },
    waiting: () => countWaiting(db.read, db.node),
  }
}

function openBucket(base: Base, settings: BucketSettings): BucketStore {
  const { clock, disposer, log } = base
  // The operator chose the bucket, so it may be in a private network.
  const policy = { mode: 'allow-private', allow: [] } as const
  const outbound = disposer.use(createOutbound({ policy, clock, log, resolve: base.resolve }))
  const closing = new AbortController()
  disposer.defer(() => {
    closing.abort()
    return Promise.resolve()
  })
  return createBucketStore({ outbound, clock, signal: closing.signal, settings })
}
