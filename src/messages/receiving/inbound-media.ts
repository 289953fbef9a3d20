import { gatherMedia } from '../media/gather-media.js'
import type { MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import { dropMedia } from '../storage/media-storage.js'
import type { InboundDeps } from './inbound-deps.js'

/**
 * Resolves with the media of an inbound message, or with the reason why some are still missing. Media that
 * cannot be fetched are left out.
 */
export async function inboundMedia(
  message: Pick<MessageRecord, 'sid' | 'numMedia'>,
  deps: Pick<InboundDeps, 'db' | 'clock' | 'log' | 'mediaStore'>,
  signal: AbortSignal,
): Promise<readonly MessageMedia[] | string> {
  const gathered = await gatherMedia(message, deps, signal)
  if (gathered.type === 'busy') return gathered.reason
  const lost = gathered.failed.map((each) => each.sid)
  if (lost.length > 0) await deps.db.write((tx) => dropMedia(tx, message.sid, lost))
  return gathered.media
}

/** Appends each media URL to the text on its own line, for receivers of plain text. */
export function textWithMedia(
  { body }: Pick<MessageRecord, 'body'>,
  media: readonly MessageMedia[],
  { mediaLinks }: Pick<InboundDeps, 'mediaLinks'>,
): string {
  const urls = media.map((each) => mediaLinks.urlOf(each.sid))
  return [body, ...urls].filter((line) => line !== '').join('\n')
}
