import { isWebUrl } from '../../platform/http/web-url.js'
import { MessageRefusedError } from '../message-errors.js'
import { MAX_MEDIA, MAX_MEDIA_URL } from '../message-media.js'

/** Throws MessageRefusedError for media that cannot be sent. */
export function checkMediaUrls(urls: readonly string[]): void {
  const bad = urls.find((url) => !isMediaUrl(url))
  if (bad !== undefined)
    throw new MessageRefusedError(21620, `The media URL ${bad.slice(0, 100)} is not valid.`)
  if (urls.length > MAX_MEDIA)
    throw new MessageRefusedError(
      21623,
      `The message has ${urls.length} media, the maximum is ${MAX_MEDIA}.`,
    )
}

function isMediaUrl(text: string): boolean {
  return text.length <= MAX_MEDIA_URL && !text.includes('\0') && isWebUrl(text)
}
