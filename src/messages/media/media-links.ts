/**
 * Media URLs for webhooks. The last segment is the sid, as clients of the convention expect. A link is signed
 * and not stored; it ends at its expiry, or when the media is deleted.
 */
import { createHmac } from 'node:crypto'
import type { Clock } from '../../platform/clock.js'
import { isSameSecret } from '../../platform/secrets.js'

export interface MediaLinks {
  urlOf(mediaSid: string): string
  /** True when the signature is valid and has not expired. */
  isValid(proof: string, mediaSid: string): boolean
}

export interface MediaLinksDeps {
  readonly key: Buffer
  readonly clock: Pick<Clock, 'now'>
  /** The server's URL for customers. */
  readonly baseUrl: string
}

/** Path prefix of links. */
export const MEDIA_PATH = '/message-media'
const VALID_MS = 90 * 86_400_000

export function createMediaLinks({ key, clock, baseUrl }: MediaLinksDeps): MediaLinks {
  const proofOf = (expiresAt: string, sid: string) =>
    createHmac('sha256', key).update(`${expiresAt} ${sid}`).digest('base64url')
  return {
    urlOf: (sid) => {
      const expiresAt = (clock.now() + VALID_MS).toString(36)
      return `${baseUrl}${MEDIA_PATH}/${expiresAt}-${proofOf(expiresAt, sid)}/${sid}`
    },
    isValid: (given, sid) => {
      const [, expiresAt = '', proof = ''] = /^([0-9a-z]{1,12})-(.+)$/s.exec(given) ?? []
      return (
        isSameSecret(proof, proofOf(expiresAt, sid)) && clock.now() < Number.parseInt(expiresAt, 36)
      )
    },
  }
}
