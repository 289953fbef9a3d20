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
  /** The preference in thousandths. */
  readonly q: number
  readonly instanceId: string | undefined
  readonly regId: number | undefined
  readonly userAgent: string | undefined
  readonly callId: string
  readonly cseq: number
  readonly source: { readonly address: string; readonly port: number; readonly transport: string }
  /** True when OPTIONS keep the way to it open: it leads through a NAT or a connection. */
  readonly isProbed: boolean
  /** The time since which OPTIONS to it are not answered; undefined when they are. */
  readonly silentSince: number | undefined
  /** The drachtio server that the contact can be reached through. */
  readonly server: string
  readonly expiresAt: number
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * The address that requests to the contact are sent to: where its REGISTER came from. Over TLS it is
 * the connection of the REGISTER and no other, which `ob` says (RFC 5626 §4.3).
 */
export function nextHopOf({ source }: Pick<Binding, 'source'>): string {
  return source.transport === 'tls' ? `${nextHopTo(source)};ob` : nextHopTo(source)
}

export function toBinding(row: Selectable<SipBindingsTable>): Binding {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    domainSid: row.domainSid,
    username: row.username,
    key: row.bindingKey,
    contactUri: row.contactUri,
    q: row.q,
    instanceId: row.instanceId ?? undefined,
    regId: row.regId ?? undefined,
    userAgent: row.userAgent ?? undefined,
    callId: row.callId,
    cseq: row.cseq,
    source: { address: row.sourceAddress, port: row.sourcePort, transport: row.transport },
    isProbed: row.isProbed === 1,
    silentSince: row.silentSince ?? undefined,
    server: row.server,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

export function toBindingRow(binding: Binding): Selectable<SipBindingsTable> {
  return {
    sid: binding.sid,
    accountSid: binding.accountSid,
    domainSid: binding.domainSid,
    username: binding.username,
    bindingKey: binding.key,
    contactUri: binding.contactUri,
    q: binding.q,
    instanceId: binding.instanceId ?? null,
    regId: binding.regId ?? null,
    userAgent: binding.userAgent ?? null,
    callId: binding.callId,
    cseq: binding.cseq,
    sourceAddress: binding.source.address,
    sourcePort: binding.source.port,
    transport: binding.source.transport,
    isProbed: binding.isProbed ? 1 : 0,
    silentSince: binding.silentSince ?? null,
    server: binding.server,
    expiresAt: binding.expiresAt,
    createdAt: binding.createdAt,
    updatedAt: binding.updatedAt,
  }
}
