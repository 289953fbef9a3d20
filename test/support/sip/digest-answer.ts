import { createHash } from 'node:crypto'
import { headersOf, type PeerMessage } from './sip-peer-message.js'

/**
 * Authorization value that answers the MD5 challenge of a 401 for the Request-URI, computed independently by
 * RFC 2617.
 */
export function digestAnswer(
  refusal: PeerMessage,
  user: { readonly username: string; readonly password: string },
  uri: string,
  method = 'INVITE',
): string {
  const challenge =
    headersOf(refusal, 'www-authenticate').find((value) => /algorithm="?MD5"?/i.test(value)) ?? ''
  const field = (name: string) =>
    new RegExp(String.raw`\b${name}="?([^",]*)"?`, 'i').exec(challenge)?.[1] ?? ''
  const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':')).digest('hex')
  const secret = md5(user.username, field('realm'), user.password)
  const response = md5(secret, field('nonce'), '00000001', 'c1', 'auth', md5(method, uri))
  return (
    `Digest username="${user.username}", realm="${field('realm')}", nonce="${field('nonce')}", ` +
    `uri="${uri}", algorithm=MD5, qop=auth, nc=00000001, cnonce="c1", response="${response}"`
  )
}
