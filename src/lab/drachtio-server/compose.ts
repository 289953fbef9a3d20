/**
 * Composes a SIP message from what an application wrote: spells header names, adds defaults, and drops
 * headers that it may not set.
 */

import { formatHost } from '../../platform/sip-grammar/uri.js'
import type { SipHeader } from '../sip/message/types.js'
import type { SipPeer } from '../sip/model/stack-types.js'
import type { ClientSip } from './client-message.js'
import { headerName } from './header-names.js'

/** Thrown when a command cannot be carried out; `reason` is sent to the client. */
export class CommandRefused extends Error {
  override readonly name = 'CommandRefused'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** The headers that only the server or the stack writes; an application's values are dropped. */
const NEVER_TAKEN: ReadonlySet<string> = new Set([
  'Via',
  'Route',
  'RSeq',
  'Record-Route',
  'Content-Length',
])
/** The headers that a dialog or a transaction determines; the application's values count only outside one. */
const OF_THE_DIALOG: ReadonlySet<string> = new Set(['From', 'To', 'Call-ID', 'CSeq'])
/** The headers in which an application may write `@localhost` for the server's address. */
const WITH_OUR_ADDRESS: ReadonlySet<string> = new Set([
  'From',
  'To',
  'Contact',
  'P-Asserted-Identity',
])

export interface Composed {
  /** The headers, without those in `dialogHeaders`. */
  readonly headers: readonly SipHeader[]
  /** The From, To, Call-ID and CSeq that the application gave, by name. */
  readonly dialogHeaders: ReadonlyMap<string, string>
  readonly body: Buffer
}

export function compose(sip: ClientSip, own: SipPeer): Composed {
  const headers: SipHeader[] = []
  const dialogHeaders = new Map<string, string>()
  for (const header of sip.headers) {
    const name = headerName(header.name)
    if (NEVER_TAKEN.has(name)) continue
    const value = WITH_OUR_ADDRESS.has(name) ? withOurAddress(header.value, own) : header.value
    if (OF_THE_DIALOG.has(name)) dialogHeaders.set(name, value)
    else headers.push({ name, value: name === 'Contact' ? bracketed(value) : value })
  }
  if (sip.body !== '' && !hasHeader(headers, 'Content-Type')) {
    if (!sip.body.startsWith('v=0')) throw new CommandRefused('missing content-type')
    headers.push({ name: 'Content-Type', value: 'application/sdp' })
  }
  return { headers, dialogHeaders, body: Buffer.from(sip.body, 'utf8') }
}

export function hasHeader(headers: readonly SipHeader[], name: string): boolean {
  return valueOf(headers, name) !== undefined
}

export function valueOf(headers: readonly SipHeader[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  return headers.find((header) => header.name.toLowerCase() === wanted)?.value
}

/**
 * Turns `sip:a@b;tag=x` into `<sip:a@b>;tag=x`: without brackets, parameters belong to the header
 * (RFC 3261 §20).
 */
export function bracketed(value: string): string {
  if (value.includes('<')) return value
  const semicolon = value.indexOf(';')
  const end = semicolon < 0 ? value.length : semicolon
  return `<${value.slice(0, end)}>${value.slice(end)}`
}

function withOurAddress(value: string, own: SipPeer): string {
  return value.replace('@localhost', `@${formatHost(own.address, own.port)}`)
}
