/** The headers of an inbound INVITE that an application sees. Pure. */
import { numberFromSipUser } from './address.js'

export type SipHeaders = readonly (readonly [name: string, value: string])[]

interface Header {
  readonly name: string
  readonly value: string
}

/**
 * The most headers. Every webhook of the call carries them, as a GET in its URL, so further or
 * longer ones are left out.
 */
const MAX_HEADERS = 20
const MAX_NAME_CHARS = 64
const MAX_VALUE_CHARS = 1_024

/** The headers `X-…` and `User-to-User` (RFC 7433), in order. */
export function applicationHeaders(headers: readonly Header[]): SipHeaders {
  return headers
    .filter(
      ({ name, value }) =>
        /^(x-.|user-to-user$)/i.test(name) &&
        name.length <= MAX_NAME_CHARS &&
        value.length <= MAX_VALUE_CHARS,
    )
    .slice(0, MAX_HEADERS)
    .map(({ name, value }) => [name.replace(/^user-to-user$/i, 'User-to-User'), value])
}

/**
 * The party that forwarded the call here last: the topmost Diversion (RFC 5806), as a number when
 * it is one.
 */
export function forwardedFrom(headers: readonly Header[]): string | undefined {
  const diversion = headers.find(({ name }) => name.toLowerCase() === 'diversion')?.value ?? ''
  const [, uri, user] = /^[^<]*<?(sips?:([^@;>]*)@[^;>\s,]*|tel:[^;>\s,]*)/i.exec(diversion) ?? []
  if (uri === undefined) return undefined
  return numberFromSipUser(user ?? uri.replace(/^tel:/i, '')) ?? uri
}
