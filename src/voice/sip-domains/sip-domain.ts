import { urlAtRest } from '../../platform/database/at-rest.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import { CODECS, type Codec } from '../telephony/codecs.js'
import type { SipDomainsTable } from './tables.js'

/** A host name whose SIP requests an account takes; times are epoch milliseconds. */
export interface SipDomain {
  readonly sid: string
  readonly accountSid: string
  /** The host name in lower case. */
  readonly domainName: string
  readonly friendlyName: string
  readonly voice: SipDomainVoice
  /** True when softphones may register. */
  readonly sipRegistration: boolean
  /** True when requests are taken over TLS only. */
  readonly secure: boolean
  readonly emergencyCallingEnabled: boolean
  readonly emergencyCallerSid: string | undefined
  /** True when a caller with credentials may show another From than its user's. */
  readonly allowsAnyFrom: boolean
  /** The codecs that softphones are offered, the preferred one first; undefined: all, G.711 first. */
  readonly codecs: readonly Codec[] | undefined
  /** What the account has noted; there are no such trunks, and it has no effect. */
  readonly byocTrunkSid: string | undefined
  readonly region: SipDomainRegion
  readonly createdAt: number
  readonly updatedAt: number
}

/** The requests that a call to the domain leads to. */
export interface SipDomainVoice {
  readonly url: string | undefined
  readonly method: WebhookMethod
  readonly fallbackUrl: string | undefined
  readonly fallbackMethod: WebhookMethod
  readonly statusCallback: string | undefined
  readonly statusCallbackMethod: WebhookMethod
}

export interface SipDomainRegion {
  readonly sid: string
  readonly friendlyName: string
  readonly voiceRegion: string
  readonly updatedAt: number
}

export function toSipDomain(row: Selectable<SipDomainsTable>): SipDomain {
  return {
    sid: row.sid,
    accountSid: row.account_sid,
    domainName: row.domain_name,
    friendlyName: row.friendly_name,
    voice: {
      url: row.voice_url ?? undefined,
      method: row.voice_method,
      fallbackUrl: row.voice_fallback_url ?? undefined,
      fallbackMethod: row.voice_fallback_method,
      statusCallback: row.status_callback ?? undefined,
      statusCallbackMethod: row.status_callback_method,
    },
    sipRegistration: row.sip_registration === 1,
    secure: row.secure === 1,
    emergencyCallingEnabled: row.emergency_calling_enabled === 1,
    emergencyCallerSid: row.emergency_caller_sid ?? undefined,
    allowsAnyFrom: row.allows_any_from === 1,
    codecs: row.codecs === null ? undefined : readCodecs(row.codecs),
    byocTrunkSid: row.byoc_trunk_sid ?? undefined,
    region: {
      sid: row.region_sid,
      friendlyName: row.region_name,
      voiceRegion: row.voice_region,
      updatedAt: row.region_updated_at,
    },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function toSipDomainRow(domain: SipDomain): Written<SipDomainsTable> {
  const { voice, region } = domain
  return {
    sid: domain.sid,
    account_sid: domain.accountSid,
    domain_name: domain.domainName,
    friendly_name: domain.friendlyName,
    voice_url: urlAtRest(voice.url),
    voice_method: voice.method,
    voice_fallback_url: urlAtRest(voice.fallbackUrl),
    voice_fallback_method: voice.fallbackMethod,
    status_callback: urlAtRest(voice.statusCallback),
    status_callback_method: voice.statusCallbackMethod,
    sip_registration: domain.sipRegistration ? 1 : 0,
    secure: domain.secure ? 1 : 0,
    emergency_calling_enabled: domain.emergencyCallingEnabled ? 1 : 0,
    emergency_caller_sid: domain.emergencyCallerSid ?? null,
    allows_any_from: domain.allowsAnyFrom ? 1 : 0,
    codecs: domain.codecs?.join(',') ?? null,
    byoc_trunk_sid: domain.byocTrunkSid ?? null,
    region_sid: region.sid,
    region_name: region.friendlyName,
    voice_region: region.voiceRegion,
    region_updated_at: region.updatedAt,
    created_at: domain.createdAt,
    updated_at: domain.updatedAt,
  }
}

/** The codecs of a list such as `opus, PCMU`, each once; names of others are left out. */
export function readCodecs(list: string): readonly Codec[] {
  const names = list.split(',').map((name) => name.trim().toUpperCase())
  return [...new Set(names)].flatMap((name) => CODECS.find((codec) => codec === name) ?? [])
}
