/** A store in a bucket of the operator's, by the S3 protocol. */
import type { Clock } from '../clock.js'
import { type BucketSettings, bucketPlace, signingKey } from './bucket-place.js'
import { type FileStore, FileStoreError } from './file-store.js'
import { createObjectStore, type ObjectStoreDeps, type StoreOutcome } from './object-store.js'
import { presignedUrl } from './sign-request.js'

export interface BucketStoreDeps extends ObjectStoreDeps {
  readonly clock: Clock
  readonly settings: BucketSettings
}

/** Adds single requests with their outcomes, for callers that retry themselves. */
export interface BucketStore extends FileStore {
  /** Uploads the file. Rejects when it cannot be read. */
  upload(name: string, path: string, mimeType: string): Promise<StoreOutcome>
  /** Downloads the object to a new file. Rejects when that cannot be written. */
  download(name: string, path: string): Promise<StoreOutcome | { readonly type: 'absent' }>
  /** Deletes the object, if there is one. */
  erase(name: string): Promise<StoreOutcome>
}

export function createBucketStore(deps: BucketStoreDeps): BucketStore {
  const { clock, settings } = deps
  const objects = createObjectStore(deps)
  const objectOf = (name: string) => {
    const place = bucketPlace(settings, name)
    if (place.type === 'invalid') throw new FileStoreError(place.reason)
    const key = signingKey(settings, place.value.region)
    if (key.type === 'invalid') throw new FileStoreError(key.reason)
    return { url: place.value.url, key: key.value }
  }
  return {
    upload: (name, path, contentType) =>
      objects.put(objectOf(name), path, {
        contentType,
        kmsKeyId: settings.kmsKeyId,
        integrity: 'by-tls',
      }),
    download: (name, path) => objects.get(objectOf(name), path),
    erase: (name) => objects.remove(objectOf(name)),
    put: async (name, path, contentType) => {
      const options = { contentType, kmsKeyId: settings.kmsKeyId }
      requireDone(name, await objects.put(objectOf(name), path, options))
    },
    remove: async (name) => {
      requireDone(name, await objects.remove(objectOf(name)))
    },
    link: (name, { seconds, fileName, mimeType }) => {
      const { url, key } = objectOf(name)
      const query = {
        'response-content-disposition': `attachment; filename="${fileName}"`,
        'response-content-type': mimeType,
      }
      return presignedUrl(url, key, { now: clock.now(), seconds, query })
    },
  }
}

function requireDone(name: string, outcome: StoreOutcome): void {
  if (outcome.type === 'failed') throw new FileStoreError(`${name}: ${outcome.reason}`)
}
