import { isToken } from './characters.js'
import {
  type Cursor,
  formatParams,
  isAtEnd,
  quote,
  readParams,
  readQuoted,
  readToken,
  skipSpace,
  takeSeparator,
} from './scan.js'
import { isAbsoluteUri } from './uri.js'

export interface NameAddr {
  readonly displayName?: string
  readonly uri: string
  /** Parameters of the header, not of the URI; a flag parameter has the value ''. */
  readonly params: Readonly<Record<string, string>>
}

/**
 * Parses one address with its parameters, as in From, To, Route; undefined when malformed or more
 * than one.
 */
export function parseNameAddr(value: string): NameAddr | undefined {
  const cursor: Cursor = { text: value, at: 0 }
  const address = readNameAddr(cursor)
  skipSpace(cursor)
  return address !== undefined && isAtEnd(cursor) ? address : undefined
}

/**
 * Parses a comma-separated list, as in Contact, Route, Record-Route; undefined when any part is
 * malformed.
 */
export function parseNameAddrList(value: string): NameAddr[] | undefined {
  const cursor: Cursor = { text: value, at: 0 }
  const addresses: NameAddr[] = []
  do {
    const address = readNameAddr(cursor)
    if (address === undefined) return undefined
    addresses.push(address)
  } while (takeSeparator(cursor, ','))
  return isAtEnd(cursor) ? addresses : undefined
}

function readNameAddr(cursor: Cursor): NameAddr | undefined {
  skipSpace(cursor)
  const displayName = readDisplayName(cursor)
  const uri = cursor.text[cursor.at] === '<' ? readBracketed(cursor) : readBare(cursor, displayName)
  if (uri === undefined) return undefined
  const params = readParams(cursor)
  if (params === undefined) return undefined
  skipSpace(cursor)
  return displayName === undefined || displayName === ''
    ? { uri, params }
    : { displayName, uri, params }
}

/**
 * Reads a display name. Leaves the cursor at '<', or where it was when no bracket follows the name.
 */
function readDisplayName(cursor: Cursor): string | undefined {
  const start = cursor.at
  if (cursor.text[start] === '"') {
    const name = readQuoted(cursor)
    skipSpace(cursor)
    return name
  }
  while (readToken(cursor) !== undefined) skipSpace(cursor)
  if (cursor.text[cursor.at] === '<') return cursor.text.slice(start, cursor.at).trimEnd()
  cursor.at = start
  return undefined
}

function readBracketed(cursor: Cursor): string | undefined {
  const end = cursor.text.indexOf('>', cursor.at)
  if (end === -1) return undefined
  const uri = cursor.text.slice(cursor.at + 1, end)
  cursor.at = end + 1
  return isAbsoluteUri(uri) ? uri : undefined
}

/**
 * Reads an address without brackets: ';' starts the header's parameters, and '?' is forbidden (RFC
 * 3261 §20).
 */
function readBare(cursor: Cursor, displayName: string | undefined): string | undefined {
  if (displayName !== undefined) return undefined
  const { text } = cursor
  const start = cursor.at
  while (cursor.at < text.length && !' \t,;?'.includes(text.charAt(cursor.at))) cursor.at++
  if (text[cursor.at] === '?') return undefined
  const uri = text.slice(start, cursor.at)
  return isAbsoluteUri(uri) ? uri : undefined
}

/**
 * Writes an address, always with angle brackets, so that a parameter is never mistaken for the
 * URI's.
 */
export function formatNameAddr(address: NameAddr): string {
  const { displayName } = address
  const name =
    displayName === undefined
      ? ''
      : `${displayName.split(' ').every(isToken) ? displayName : quote(displayName)} `
  return `${name}<${address.uri}>${formatParams(address.params)}`
}
