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
    accountSid: row.account_sid,
    domainSid: row.domain_sid,
    username: row.username,
    key: row.binding_key,
    contactUri: row.contact_uri,
    q: row.q,
    instanceId: row.instance_id ?? undefined,
    regId: row.reg_id ?? undefined,
    userAgent: row.user_agent ?? undefined,
    callId: row.call_id,
    cseq: row.cseq,
    source: { address: row.source_address, port: row.source_port, transport: row.transport },
    isProbed: row.is_probed === 1,
    silentSince: row.silent_since ?? undefined,
    server: row.server,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function toBindingRow(binding: Binding): Selectable<SipBindingsTable> {
  return {
    sid: binding.sid,
    account_sid: binding.accountSid,
    domain_sid: binding.domainSid,
    username: binding.username,
    binding_key: binding.key,
    contact_uri: binding.contactUri,
    q: binding.q,
    instance_id: binding.instanceId ?? null,
    reg_id: binding.regId ?? null,
    user_agent: binding.userAgent ?? null,
    call_id: binding.callId,
    cseq: binding.cseq,
    source_address: binding.source.address,
    source_port: binding.source.port,
    transport: binding.source.transport,
    is_probed: binding.isProbed ? 1 : 0,
    silent_since: binding.silentSince ?? null,
    server: binding.server,
    expires_at: binding.expiresAt,
    created_at: binding.createdAt,
    updated_at: binding.updatedAt,
  }
}
