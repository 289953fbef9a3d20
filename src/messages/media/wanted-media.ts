/** The rows of the media that a new message has. */
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
    message_sid: sid,
    account_sid: accountSid,
    position,
    source_url: each.type === 'url' ? urlAtRest(each.url) : null,
    file: each.type === 'file' ? each.file : null,
    content_type: each.type === 'file' ? each.contentType : null,
    bytes: each.type === 'file' ? each.bytes : null,
    attempts: 0,
    created_at: createdAt,
    updated_at: createdAt,
  }))
}
