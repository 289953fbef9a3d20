import { HOST, TOKEN } from '../../../platform/sip-grammar/characters.js'
import {
  type Cursor,
  formatParams,
  isAtEnd,
  readParams,
  readRun,
  readToken,
  skipSpace,
  takeSeparator,
} from '../../../platform/sip-grammar/scan.js'
import { formatHost, parseHostport } from '../../../platform/sip-grammar/uri.js'
import type { Via } from './types.js'

/** The start of every branch made by RFC 3261 (§8.1.1.7). */
export const BRANCH_COOKIE = 'z9hG4bK'

/** Parses the values of one Via header, topmost first; undefined when any of them is malformed. */
export function parseViaList(value: string): Via[] | undefined {
  const cursor: Cursor = { text: value, at: 0 }
  const vias: Via[] = []
  do {
    const via = readVia(cursor)
    if (via === undefined) return undefined
    vias.push(via)
  } while (takeSeparator(cursor, ','))
  skipSpace(cursor)
  return isAtEnd(cursor) ? vias : undefined
}

function readVia(cursor: Cursor): Via | undefined {
  skipSpace(cursor)
  const name = readToken(cursor)
  if (name?.toUpperCase() !== 'SIP' || !takeSeparator(cursor, '/')) return undefined
  if (readToken(cursor) !== '2.0' || !takeSeparator(cursor, '/')) return undefined
  const transport = readRun(cursor, TOKEN)
  const afterTransport = cursor.at
  skipSpace(cursor)
  if (transport === '' || cursor.at === afterTransport) return undefined
  const hostport = readSentBy(cursor)
  const params = hostport && readParams(cursor)
  return params && { transport: transport.toUpperCase(), ...hostport, params }
}

function readSentBy(cursor: Cursor): { host: string; port?: number } | undefined {
  const start = cursor.at
  if (cursor.text[start] === '[') {
    const end = cursor.text.indexOf(']', start)
    if (end === -1) return undefined
    cursor.at = end + 1
  } else if (readRun(cursor, HOST) === '') return undefined
  const host = cursor.text.slice(start, cursor.at)
  // White space may stand around the colon (RFC 3261 §25.1, sent-by).
  if (!takeSeparator(cursor, ':')) return parseHostport(host)
  return parseHostport(`${host}:${readToken(cursor) ?? ''}`)
}

export function formatVia(via: Via): string {
  return `SIP/2.0/${via.transport} ${formatHost(via.host, via.port)}${formatParams(via.params)}`
}
