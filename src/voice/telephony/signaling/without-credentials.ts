/** Removes the credentials from a SIP message, so that it may be stored. Pure. */
import { isSecretName } from '../../../platform/mask-secrets.js'

const MASK = '***'
/** Matches `:password` in the userinfo of a SIP URI (RFC 3261 §19.1.1). */
const URI_PASSWORD = /(\bsips?:[^\s:@<>";,]*):[^\s@<>",]*@/gi
/** Matches the keys of media in SDP (RFC 4568, RFC 4567, RFC 8839, RFC 4566 §5.12). */
const SDP_KEYS = /^(a=crypto:\d+ \S+ |a=key-mgmt:|a=ice-pwd:|k=)[^\r\n]*/gim
/** Headers that answer a challenge, or prove that the server knows the password. */
const ANSWERS = /^(?:proxy-)?(?:authorization|authentication-info)$/i

/**
 * Returns the message without its credentials: of Authorization and Proxy-Authorization remain the scheme and the
 * realm, of the keys in SDP and of passwords in URIs nothing.
 */
export function withoutCredentials(message: string): string {
  // The body begins after the first empty line.
  const end = /\r?\n\r?\n/.exec(message)?.index ?? message.length
  const head = message.slice(0, end).replace(/\r?\n[ \t]+/g, ' ')
  const lines = head.split('\r\n').map(cleanHeader)
  return `${lines.join('\r\n')}${message.slice(end)}`
    .replace(URI_PASSWORD, `$1:${MASK}@`)
    .replace(SDP_KEYS, `$1${MASK}`)
}

function cleanHeader(line: string): string {
  const [, name = '', value = ''] = /^([^\s:]+)[ \t]*:[ \t]*(.*)$/s.exec(line) ?? []
  if (ANSWERS.test(name)) return `${name}: ${challengeOf(value)}`
  return isSecretName(name) ? `${name}: ${MASK}` : line
}

/** Returns the scheme and the realm of credentials. */
function challengeOf(value: string): string {
  const found = [/^[a-z]+(?=\s)/i.exec(value), /\brealm="[^"\\]*"/i.exec(value)]
  return found.flatMap((match) => match ?? []).join(' ') || MASK
}
