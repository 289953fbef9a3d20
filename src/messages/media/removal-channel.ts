/** The outbox's channel that removes the files of deleted media, once no other message has them. */
import type { Database } from '../../platform/database/database.js'
import { FileStoreError } from '../../platform/files/file-store.js'
import type { Channel } from '../../platform/outbox/channel.js'
import { nextAttemptAt, type RetrySchedule } from '../../platform/outbox/retry-schedule.js'
import { isFileUsed, type MediaRow } from '../storage/media-storage.js'
import { fileOf } from './gather-media.js'
import type { MediaStore } from './media-store.js'

/** A store that is away is asked until it is there again. */
const SCHEDULE: RetrySchedule = {
  firstDelayMs: 1_000,
  maxDelayMs: 600_000,
  horizonMs: Number.POSITIVE_INFINITY,
}

export interface RemovalDeps {
  readonly db: Database
  readonly mediaStore: MediaStore
}

export function createRemovalChannel({ db, mediaStore }: RemovalDeps): Channel<MediaRow> {
  return {
    name: 'message-media-removal',
    // A media that was being fetched may have its file already.
    toRow: ({ sid, account_sid: accountSid, file }) => ({
      stream: `media ${file ?? fileOf(sid)}`,
      accountSid,
      kind: 'message-media-removal',
      payload: { file: file ?? fileOf(sid) },
    }),
    deliver: async (row) => {
      const { file } = row.payload as { readonly file: string } // as `toRow` has written it
      try {
        if (!(await isFileUsed(db.read, file))) await mediaStore.remove(file)
        return { type: 'delivered', status: undefined, error: undefined }
      } catch (error) {
        if (!(error instanceof FileStoreError)) throw error
        return { type: 'failed', status: undefined, error: error.message }
      }
    },
    nextAttemptAt: (row, now, random) => nextAttemptAt(SCHEDULE, row, now, random),
  }
}
