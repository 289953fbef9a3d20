/** Media of messages as their account reads and deletes them. */
import type { Database } from '../../platform/database/database.js'
import { parseSid } from '../../platform/ids.js'
import type { TransactionalOutbox } from '../../platform/outbox/transactional-outbox.js'
import { MessageMediaNotFoundError, MessageNotFoundError } from '../message-errors.js'
import type { MessageMedia } from '../message-media.js'
import {
  countMedia,
  deleteMedia,
  findMedia,
  type MediaRow,
  mediaRows,
  toMedia,
} from '../storage/media-storage.js'
import { findMessage } from '../storage/message-storage.js'
import type { MediaLinks } from './media-links.js'
import type { MediaStore } from './media-store.js'

export interface StoredMediaDeps {
  readonly db: Database
  readonly mediaStore: Pick<MediaStore, 'link'>
  readonly mediaLinks: Pick<MediaLinks, 'isValid'>
  readonly removals: TransactionalOutbox<MediaRow>
}

/** Lifetime of a link that is followed at once, seconds. */
const LINK_SECONDS = 3_600

export function storedMedia({ db, mediaLinks, mediaStore, removals }: StoredMediaDeps) {
  const messageSidOf = async (accountSid: string, sid: string): Promise<string> => {
    const known = parseSid('SM', sid) ?? parseSid('MM', sid) ?? ''
    const message = await findMessage(db.read, known, accountSid)
    if (message === undefined) throw new MessageNotFoundError(`there is no message ${sid}`)
    return message.sid
  }
  const fetchMedia = async (accountSid: string, sid: string, mediaSid: string) => {
    const messageSid = await messageSidOf(accountSid, sid)
    const media = await findMedia(db.read, parseSid('ME', mediaSid) ?? '')
    if (media?.messageSid === messageSid) return media
    throw new MessageMediaNotFoundError(`the message has no media ${mediaSid}`)
  }
  const linkTo = (media: MessageMedia) => mediaStore.link(media, LINK_SECONDS)
  return {
    mediaOf: async (accountSid: string, sid: string): Promise<readonly MessageMedia[]> => {
      const rows = await mediaRows(db.read, await messageSidOf(accountSid, sid))
      return rows.flatMap((row) => toMedia(row) ?? [])
    },
    fetchMedia,
    removeMedia: async (accountSid: string, sid: string, mediaSid: string): Promise<void> => {
      const { messageSid, sid: known } = await fetchMedia(accountSid, sid, mediaSid)
      await removals.commit(async (tx, enqueue) => {
        await enqueue(await deleteMedia(tx, messageSid, known))
        await countMedia(tx, messageSid)
      })
    },
    linkTo,
    followLink: async (proof: string, mediaSid: string): Promise<string | undefined> => {
      if (!mediaLinks.isValid(proof, mediaSid)) return undefined
      const media = await findMedia(db.read, mediaSid)
      return media && linkTo(media)
    },
  }
}
