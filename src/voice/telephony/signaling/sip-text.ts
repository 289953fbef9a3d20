/** Checks text for SIP messages: rejects anything that could become another header or command. */

import type { ResponseHeaders } from '../port.js'
import { UnsafeArgumentError } from '../port.js'

/** The grammar of a header's name: a token (RFC 3261 §25.1). */
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/

/** Headers that an application must not set: the stack writes them, or drachtio reads commands in them. */
const OWNED_HEADERS = [
  'via',
  'from',
  'to',
  'call-id',
  'cseq',
  'contact',
  'content-length',
  'content-type',
  'max-forwards',
  'route',
  'record-route',
  'authorization',
  'proxy-authorization',
  'user-agent',
  'x-esl-outbound',
]

/** Returns text of one line, such as a header's value. Throws UnsafeArgumentError for a line break or NUL. */
export function sipText(text: string): string {
  for (const forbidden of ['\r', '\n', '\0'])
    if (text.includes(forbidden))
      throw new UnsafeArgumentError('a line break or NUL cannot be part of a SIP header')
  return text
}

export function sipHeaders(
  headers: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!TOKEN.test(name)) throw new UnsafeArgumentError('not the name of a SIP header')
    if (OWNED_HEADERS.includes(name.toLowerCase()))
      throw new UnsafeArgumentError(`${name} is not for applications to set`)
    checked[name] = sipText(value)
  }
  return checked
}

/**
 * Checks the headers of a response. An array becomes several header lines: drachtio-srf would join them with
 * commas, which is not allowed for challenges (RFC 3261 §7.3.1).
 */
export function responseHeaders(headers: ResponseHeaders | undefined): Record<string, string> {
  const checked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers ?? {})) {
    const values = typeof value === 'string' ? [value] : value
    for (const each of values) sipHeaders({ [name]: each })
    // An empty array adds no header.
    if (values.length > 0) checked[name] = values.join(`\r\n${name}: `)
  }
  return checked
}

/**
 * Returns a `sip:`, `sips:` or `tel:` URI. Throws UnsafeArgumentError for characters that could end it, and
 * for drachtio's `|`.
 */
export function sipUri(uri: string): string {
  if (!/^(sips?|tel):[^\s<>"|\0]+$/i.test(uri)) throw new UnsafeArgumentError('not a SIP URI')
  return uri
}

/** Returns `"Display" <sip:user@host>`: a quoted-string (RFC 3261 §25.1) and an escaped user (§19.1.1). */
export function nameAddress(address: {
  readonly user: string
  readonly host: string
  readonly displayName?: string | undefined
}): string {
  const user = encodeURIComponent(sipText(address.user)).replace(
    /%(2B|24|26|3D|2C|3B|3F|2F)/g,
    decodeURIComponent,
  )
  if (!/^[\w.:[\]-]+$/.test(address.host)) throw new UnsafeArgumentError('not a host')
  const uri = user === '' ? `sip:${address.host}` : `sip:${user}@${address.host}`
  if (address.displayName === undefined || address.displayName === '') return `<${uri}>`
  const quoted = sipText(address.displayName).replace(/["\\]/g, String.raw`\$&`)
  return `"${quoted}" <${uri}>`
}
