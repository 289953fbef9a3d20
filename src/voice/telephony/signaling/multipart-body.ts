/** The body of an INVITE that contains more than SDP (RFC 5621 §3.1, RFC 2046 §5.1.3). Pure. */
import type { BodyPart } from '../port.js'
import { UnsafeArgumentError } from '../port.js'

export interface InviteBody {
  readonly content: string
  /** The headers that describe the body; none for SDP alone. */
  readonly headers: Readonly<Record<string, string>>
}

const MEDIA_TYPE = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/i
/** RFC 2392: the address of a Content-ID, in characters that need no escape in a `cid:` URL. */
const CONTENT_ID = /^[A-Za-z0-9._-]{1,80}@[A-Za-z0-9.-]{1,80}$/

/** Returns the parts. Throws UnsafeArgumentError for an invalid type or id. */
export function checkParts(parts: readonly BodyPart[]): readonly BodyPart[] {
  for (const { contentType, contentId } of parts)
    if (!MEDIA_TYPE.test(contentType) || !CONTENT_ID.test(contentId))
      throw new UnsafeArgumentError('not a type, or not the id of a part of a body')
  return parts
}

/** Returns a body of the SDP and the other parts; `boundary` must not occur in any of them. */
export function inviteBody(sdp: string, parts: readonly BodyPart[], boundary: string): InviteBody {
  if (parts.length === 0) return { content: sdp, headers: {} }
  const written = [
    `Content-Type: application/sdp\r\n\r\n${sdp}`,
    ...parts.map(
      ({ contentType, contentId, content }) =>
        `Content-Type: ${contentType}\r\nContent-ID: <${contentId}>\r\n\r\n${content}`,
    ),
  ].map((part) => `--${boundary}\r\n${part}\r\n`)
  return {
    content: `${written.join('')}--${boundary}--\r\n`,
    headers: {
      'MIME-Version': '1.0',
      'Content-Type': `multipart/mixed;boundary="${boundary}"`,
    },
  }
}
