/** One attempt to upload or remove a row of the archive queue. */
import type { Accounts } from '../../../accounts/accounts.js'
import type { StorageSettings } from '../../../accounts/settings.js'
import type { Database } from '../../../platform/database/database.js'
import { type BucketPlace, bucketPlace, signingKey } from '../../../platform/files/bucket-place.js'
import type { KeptFiles } from '../../../platform/files/kept-files.js'
import {
  INVALID_CONFIGURATION,
  type ObjectStore,
  type StoreOutcome,
} from '../../../platform/files/object-store.js'
import type { Logger } from '../../../platform/log.js'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import { finishedName } from '../recording-files.js'
import { type ArchiveRow, noteTarget } from './archive-storage.js'

export type AttemptOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly code: ErrorNumber; readonly reason: string }
  /** The row needs no more work. */
  | { readonly type: 'dropped' }

export interface AttemptDeps {
  readonly db: Database
  readonly log: Logger
  readonly accounts: Pick<Accounts, 'find'>
  readonly files: Pick<KeptFiles, 'find'>
}

/**
 * Tries the row's upload or removal. Rejects when the database or the recording's file cannot be
 * read.
 */
export async function attempt(
  row: ArchiveRow,
  store: ObjectStore,
  deps: AttemptDeps,
): Promise<AttemptOutcome> {
  const account = await deps.accounts.find(row.account_sid)
  if (account === undefined) return { type: 'dropped' }
  const { storage } = account.settings
  return row.action === 'delete'
    ? await remove(row, storage, store)
    : await upload(row, storage, store, deps)
}

async function upload(
  row: ArchiveRow,
  storage: StorageSettings,
  store: ObjectStore,
  { db, files, log }: AttemptDeps,
): Promise<AttemptOutcome> {
  // The account has turned its archive off.
  if (storage.bucket === undefined) return { type: 'dropped' }
  const place = bucketPlace(storage, `${row.sid}.wav`)
  if (place.type === 'invalid') return misconfigured(place.reason)
  const { url, region } = place.value
  const key = signingKey(storage, region)
  if (key.type === 'invalid') return misconfigured(key.reason)
  const file = await files.find(finishedName(row.sid))
  if (file === undefined) return missing(row, log)
  const isStillWanted = await db.write((tx) => noteTarget(tx, row.sid, { url: url.href, region }))
  if (!isStillWanted) return { type: 'dropped' }
  const object = { url, key: key.value, accountSid: row.account_sid }
  try {
    return await store.put(object, file, {
      contentType: 'audio/x-wav',
      kmsKeyId: storage.kmsKeyId,
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return missing(row, log)
  }
}

function missing({ sid }: ArchiveRow, log: Logger): AttemptOutcome {
  log.error({ recordingSid: sid }, 'the file of a recording was missing before its upload')
  return { type: 'dropped' }
}

async function remove(
  row: ArchiveRow,
  storage: StorageSettings,
  store: ObjectStore,
): Promise<AttemptOutcome> {
  const place = placeOf(row)
  if (place === undefined) return { type: 'dropped' }
  const key = signingKey(storage, place.region)
  if (key.type === 'invalid') return misconfigured(key.reason)
  return await store.remove({ url: place.url, key: key.value, accountSid: row.account_sid })
}

/** The place of the upload, even when the settings have changed since. */
function placeOf({ url, region }: ArchiveRow): BucketPlace | undefined {
  return url === null || region === null ? undefined : { url: new URL(url), region }
}

function misconfigured(reason: string): StoreOutcome {
  return { type: 'failed', code: INVALID_CONFIGURATION, reason }
}
