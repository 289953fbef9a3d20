/** Headers for the INVITE of a Sip noun, written behind its URI or as Header elements. */
import { readAttributes } from './attributes.js'
import type { Warn } from './warnings.js'
import type { XmlElement } from './xml.js'

/** Header values by name as written. */
export type SipHeaders = Readonly<Record<string, string>>

const MAX_HEADERS = 50
const MAX_QUERY = 1_024
const KNOWN = ['user-to-user', 'remote-party-id', 'p-preferred-identity', 'p-called-party-id']

/** Reads `X-Name=value&…`, percent-encoded (RFC 3261 §19.1.1). */
export function readUriHeaders(query: string, warn: Warn): SipHeaders {
  if (query === '') return {}
  if (query.length >= MAX_QUERY) {
    warn(13251, `Sip: ${query.length} characters of headers are too many; ignored`)
    return {}
  }
  const pairs = query.split('&').map((pair) => {
    const at = pair.indexOf('=')
    return at === -1 ? ([pair, ''] as const) : ([pair.slice(0, at), pair.slice(at + 1)] as const)
  })
  return checkHeaders(
    pairs.map(([name, value]) => [name, decode(value)]),
    warn,
  )
}

export function readHeaderElements(sip: XmlElement, warn: Warn): SipHeaders {
  const headers = elements(sip, 'Headers').flatMap((list) => elements(list, 'Header'))
  return checkHeaders(
    headers.map((header) => {
      const read = readAttributes(header, warn)
      return [read.text('name') ?? '', read.text('value')]
    }),
    warn,
  )
}

function checkHeaders(
  pairs: readonly (readonly [name: string, value: string | undefined])[],
  warn: Warn,
): SipHeaders {
  if (pairs.length > MAX_HEADERS)
    warn(13251, `Sip: ${pairs.length} headers are too many; the first ${MAX_HEADERS} are sent`)
  const headers: Record<string, string> = {}
  for (const [name, value] of pairs.slice(0, MAX_HEADERS)) {
    if (!isAllowed(name)) warn(13252, `Sip: the header "${name.slice(0, 40)}" cannot be sent`)
    // A value is text of one line (RFC 3261 §25.1).
    else if (value === undefined || /\p{Cc}/u.test(value))
      warn(13253, `Sip: not a value for the header ${name}`)
    else headers[name] = value
  }
  return headers
}

function isAllowed(name: string): boolean {
  if (KNOWN.includes(name.toLowerCase())) return true
  // The media server uses this name itself.
  return /^x-[A-Za-z0-9-]{1,62}$/i.test(name) && name.toLowerCase() !== 'x-esl-outbound'
}

function decode(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined
  try {
    return decodeURIComponent(text)
  } catch (error) {
    // The octets are not UTF-8.
    if (error instanceof URIError) return undefined
    throw error
  }
}

function elements(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter(
    (child): child is XmlElement => child.type === 'element' && child.name === name,
  )
}
