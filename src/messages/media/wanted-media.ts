/** Rows for the media of a new message. */
import { urlAtRest } from '../../platform/database/at-rest.js'
import { newSid } from '../../platform/ids.js'
import type { InboundMedia } from '../carrier.js'
import type { MessageRecord } from '../message-record.js'
import type { NewMediaRow } from '../storage/media-storage.js'

export function wantedMedia(
  { sid, accountSid, createdAt }: Pick<MessageRecord, 'sid' | 'accountSid' | 'createdAt'>,
  media: readonly InboundMedia[],
): readonly NewMediaRow[] {
  return media.map((each, position) => ({
    sid: newSid('ME'),
    messageSid: sid,
    accountSid,
    position,
    sourceUrl: each.type === 'url' ? urlAtRest(each.url) : null,
    file: each.type === 'file' ? each.file : null,
    contentType: each.type === 'file' ? each.contentType : null,
    bytes: each.type === 'file' ? each.bytes : null,
    attempts: 0,
    createdAt,
    updatedAt: createdAt,
  }))
}
