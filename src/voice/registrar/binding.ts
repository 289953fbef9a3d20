import { columnsOf, fieldsOf } from '../../platform/database/fields.js'
import type { Selectable } from '../../platform/database/tables.js'
import { nextHopTo } from '../sip-location/next-hop.js'
import type { SipBindingsTable } from './tables.js'

/** A registered contact of a user; times are epoch milliseconds. */
export interface Binding {
  readonly sid: string
  readonly accountSid: string
  readonly domainSid: string
  readonly username: string
  readonly key: string
  readonly contactUri: string
  /** The q value in thousandths. */
  readonly q: number
  readonly instanceId: string | undefined
  readonly regId: number | undefined
  readonly userAgent: string | undefined
  readonly callId: string
  readonly cseq: number
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  /** True when OPTIONS keep its path open, because of a NAT or a connection. */
  readonly isProbed: boolean
  /** When OPTIONS to it were first unanswered; undefined while they are answered. */
  readonly silentSince: number | undefined
  /** The drachtio server through which the contact is reachable. */
  readonly server: string
  readonly expiresAt: number
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * Returns the address for requests to the contact: where its REGISTER came from. Over TLS it is the
 * connection of the REGISTER and no other, as `ob` says (RFC 5626 §4.3).
 */
export function nextHopOf({ source }: Pick<Binding, 'source'>): string {
  return source.transport === 'tls' ? `${nextHopTo(source)};ob` : nextHopTo(source)
}

export function toBinding({
  bindingKey: key,
  sourceAddress: address,
  sourcePort: port,
  transport,
  ...row
}: Selectable<SipBindingsTable>): Binding {
  const source = { address, port, transport }
  return fieldsOf(row, { key, source, isProbed: row.isProbed === 1 })
}

export function toBindingRow(binding: Binding): Selectable<SipBindingsTable> {
  const { key: bindingKey, source, ...plain } = binding
  return columnsOf(plain, {
    bindingKey,
    sourceAddress: source.address,
    sourcePort: source.port,
    transport: source.transport,
    isProbed: binding.isProbed ? 1 : 0,
  })
}
