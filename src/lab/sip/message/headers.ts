/** Reads headers of a message by name, and copies a message with a header changed. */

import type { NameAddr } from '../../../platform/sip-grammar/name-addr.js'
import { parseNameAddr, parseNameAddrList } from '../../../platform/sip-grammar/name-addr.js'
import { splitList } from '../../../platform/sip-grammar/scan.js'
import { isSameHeader } from './header-names.js'
import type { SipHeader, SipMessage } from './types.js'

/** Returns the first value of that name. */
export function getHeader(message: SipMessage, name: string): string | undefined {
  for (const header of message.headers) if (isSameHeader(header.name, name)) return header.value
  return undefined
}

/** Returns each header line of that name, in order; a line may hold a comma-separated list. */
export function getHeaders(message: SipMessage, name: string): string[] {
  const values: string[] = []
  for (const header of message.headers)
    if (isSameHeader(header.name, name)) values.push(header.value)
  return values
}

/**
 * Returns repeated headers and comma-separated values as one list (RFC 3261 §7.3.1), without empty
 * values.
 */
export function getListValues(message: SipMessage, name: string): string[] {
  return getHeaders(message, name)
    .flatMap(splitList)
    .filter((value) => value !== '')
}

/** Returns the one address of From, To, Refer-To…; undefined when absent or malformed. */
export function getAddress(message: SipMessage, name: string): NameAddr | undefined {
  const value = getHeader(message, name)
  return value === undefined ? undefined : parseNameAddr(value)
}

/**
 * Returns all addresses of Contact, Route, Record-Route…; undefined when one is malformed, empty
 * when there is none.
 */
export function getAddresses(message: SipMessage, name: string): NameAddr[] | undefined {
  const addresses: NameAddr[] = []
  for (const value of getHeaders(message, name)) {
    const list = parseNameAddrList(value)
    if (list === undefined) return undefined
    addresses.push(...list)
  }
  return addresses
}

/** Replaces the first header of that name in its place and drops the others; appends when absent. */
export function setHeader<M extends SipMessage>(message: M, name: string, value: string): M {
  const headers: SipHeader[] = []
  let isSet = false
  for (const header of message.headers) {
    if (!isSameHeader(header.name, name)) headers.push(header)
    else if (!isSet) {
      headers.push({ name, value })
      isSet = true
    }
  }
  if (!isSet) headers.push({ name, value })
  return { ...message, headers }
}

export function appendHeader<M extends SipMessage>(message: M, name: string, value: string): M {
  return { ...message, headers: [...message.headers, { name, value }] }
}

export function prependHeader<M extends SipMessage>(message: M, name: string, value: string): M {
  return { ...message, headers: [{ name, value }, ...message.headers] }
}

export function removeHeader<M extends SipMessage>(message: M, name: string): M {
  return { ...message, headers: message.headers.filter((h) => !isSameHeader(h.name, name)) }
}
