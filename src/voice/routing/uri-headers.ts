/** The headers after the `?` of a SIP URI (RFC 3261 §19.1.1). Pure. */

export type SplitUri =
  | {
      readonly type: 'split'
      /** The URI without its headers. */
      readonly uri: string
      /** The headers by name as written. The last one wins when a name repeats. */
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly type: 'too-long' }
  | { readonly type: 'bad-name' | 'bad-value'; readonly name: string }

const MAX_CHARS = 1_024
/**
 * Allowed header names: extension headers, except those that the media server uses itself, and two that
 * gateways understand.
 */
const NAME = /^(?!x-esl-outbound$)(?:x-[a-z0-9-]{1,62}|user-to-user|remote-party-id)$/i

export function splitUriHeaders(uri: string): SplitUri {
  const at = uri.indexOf('?')
  if (at === -1) return { type: 'split', uri, headers: {} }
  const query = uri.slice(at + 1)
  if (query.length >= MAX_CHARS) return { type: 'too-long' }
  const headers: Record<string, string> = {}
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const [, name = pair, text = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? []
    if (!NAME.test(name)) return { type: 'bad-name', name }
    const value = decoded(text)
    // A value is one line of text (RFC 3261 §25.1).
    if (value === undefined || /\p{Cc}/u.test(value)) return { type: 'bad-value', name }
    headers[name] = value
  }
  return { type: 'split', uri: uri.slice(0, at), headers }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined // the text is not percent-encoded UTF-8
    throw error
  }
}
