/** Fetches and stores the media of a message that are not stored yet. */
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import { FileStoreError } from '../../platform/files/file-store.js'
import type { Logger } from '../../platform/log.js'
import { MAX_MEDIA_BYTES, type MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import {
  countMediaFailure,
  type MediaRow,
  mediaRows,
  storeMediaFile,
  toMedia,
} from '../storage/media-storage.js'
import type { MediaStore } from './media-store.js'

export interface GatherDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly mediaStore: MediaStore
}

export interface FailedMedia {
  readonly sid: string
  /** Documented error number. */
  readonly errorCode: number
}

export type GatheredMedia =
  | {
      readonly type: 'ready'
      readonly media: readonly MessageMedia[]
      /** Media that cannot be fetched or may not be sent, with the reasons. */
      readonly failed: readonly FailedMedia[]
    }
  /** A retry may fetch the rest. */
  | { readonly type: 'busy'; readonly reason: string }

/** Maximum attempts to fetch one media. */
const ATTEMPTS = 3

/** Rejects with the signal's reason only. Media stored in one attempt stay for the next one. */
export async function gatherMedia(
  { sid, numMedia }: Pick<MessageRecord, 'sid' | 'numMedia'>,
  deps: GatherDeps,
  signal: AbortSignal,
): Promise<GatheredMedia> {
  if (numMedia === 0) return { type: 'ready', media: [], failed: [] }
  const media: MessageMedia[] = []
  const failed: FailedMedia[] = []
  let room = MAX_MEDIA_BYTES
  for (const row of await mediaRows(deps.db.read, sid)) {
    const outcome = await obtain(row, room, deps, signal)
    if (outcome.type === 'busy') return outcome
    if (outcome.type === 'gone') continue
    if (outcome.type === 'failed') {
      failed.push({ sid: row.sid, errorCode: outcome.errorCode })
      deps.log.info({ sid, media: row.sid, code: outcome.errorCode }, 'could not fetch a media')
      continue
    }
    media.push(outcome.media)
    room -= outcome.media.bytes
  }
  return { type: 'ready', media, failed }
}

type Obtained =
  | { readonly type: 'stored'; readonly media: MessageMedia }
  | { readonly type: 'failed'; readonly errorCode: number }
  | { readonly type: 'busy'; readonly reason: string }
  | { readonly type: 'gone' }

async function obtain(
  row: MediaRow,
  maxBytes: number,
  deps: GatherDeps,
  signal: AbortSignal,
): Promise<Obtained> {
  const known = toMedia(row)
  if (known !== undefined) return { type: 'stored', media: known }
  const { db, mediaStore } = deps
  const { accountSid, sid, sourceUrl: url } = row
  const fetched = await mediaStore.fetch({ url: url ?? '', accountSid, maxBytes }, signal)
  if (fetched.type === 'fetched') return await store(row, fetched.contentType, fetched.bytes, deps)
  const attempts = await db.write((tx) => countMediaFailure(tx, sid))
  return fetched.isRetryable && attempts < ATTEMPTS
    ? { type: 'busy', reason: `a media could not be fetched: ${String(fetched.errorCode)}` }
    : { type: 'failed', errorCode: fetched.errorCode }
}

async function store(
  row: MediaRow,
  contentType: string,
  content: Buffer,
  { clock, db, mediaStore }: GatherDeps,
): Promise<Obtained> {
  const file = fileOf(row.sid)
  const stored = { file, contentType, bytes: content.length }
  const now = clock.now()
  try {
    await mediaStore.keep(file, contentType, content)
    if (await db.write((tx) => storeMediaFile(tx, row.sid, stored, now))) {
      const media = toMedia({
        ...row,
        file,
        contentType,
        bytes: content.length,
        updatedAt: now,
      })
      if (media !== undefined) return { type: 'stored', media }
    }
    await mediaStore.remove(file)
    return { type: 'gone' }
  } catch (error) {
    if (error instanceof FileStoreError) return { type: 'busy', reason: error.message }
    throw error
  }
}

/** Returns the name of a media's file in the store. */
export function fileOf(mediaSid: string): string {
  return `message-media/${mediaSid}`
}
