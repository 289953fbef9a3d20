/** Wires the store of finished files: a folder below DATA_DIR, or the operator's bucket. */
import { join } from 'node:path'
import type { Api } from '../platform/api/api.js'
import { createBucketStore } from '../platform/files/bucket-store.js'
import { createFileLinks } from '../platform/files/file-links.js'
import { filesApi } from '../platform/files/file-operations.js'
import type { FileStore } from '../platform/files/file-store.js'
import { createFolderStore } from '../platform/files/folder-store.js'
import { createOutbound } from '../platform/http/outbound.js'
import type { Base } from './base.js'

export interface Files {
  readonly store: FileStore
  /** The API that serves links; undefined when a bucket serves them. */
  readonly api: Api<unknown> | undefined
}

export function wireFiles(base: Base, publicUrl: string): Files {
  const { clock, config, dataDir, disposer, log, vault } = base
  if (config.bucket !== undefined) {
    // The operator chose the bucket, which may be in the operator's own network.
    const policy = { mode: 'allow-private', allow: [] } as const
    const outbound = disposer.use(createOutbound({ policy, clock, log, resolve: base.resolve }))
    const closing = new AbortController()
    disposer.defer(() => {
      closing.abort()
      return Promise.resolve()
    })
    const { signal } = closing
    const store = createBucketStore({ outbound, clock, signal, settings: config.bucket })
    return { store, api: undefined }
  }
  const links = createFileLinks({
    key: vault.keyFor('links to files'),
    clock,
    baseUrl: () => publicUrl,
  })
  const store = createFolderStore(join(dataDir, 'files'), links)
  return { store, api: filesApi(store, links, log) }
}
