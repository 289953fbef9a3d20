import { gatherMedia } from '../media/gather-media.js'
import type { MessageMedia } from '../message-media.js'
import type { MessageRecord } from '../message-record.js'
import { dropMedia } from '../storage/media-storage.js'
import type { InboundDeps } from './inbound-deps.js'

/**
 * Resolves with the media of a message that came in, or with the reason why they are not all there
 * yet. A media that cannot be had is left out.
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

/** The text with the URLs of the media as lines of their own, for who takes plain text alone. */
export function textWithMedia(
  { body }: Pick<MessageRecord, 'body'>,
  media: readonly MessageMedia[],
  { mediaLinks }: Pick<InboundDeps, 'mediaLinks'>,
): string {
  const urls = media.map((each) => mediaLinks.urlOf(each.sid))
  return [body, ...urls].filter((line) => line !== '').join('\n')
}
