import { urlAtRest } from '../../platform/database/at-rest.js'
import { columnsOf, fieldsOf } from '../../platform/database/fields.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { WebhookMethod } from '../../platform/http/http-method.js'
import { CODECS, type Codec } from '../telephony/codecs.js'
import type { SipDomainsTable } from './tables.js'

/** A host name of an account that receives SIP requests; times are epoch milliseconds. */
export interface SipDomain {
  readonly sid: string
  readonly accountSid: string
  /** The host name in lower case. */
  readonly domainName: string
  readonly friendlyName: string
  readonly voice: SipDomainVoice
  /** True when softphones may register. */
  readonly sipRegistration: boolean
  /** True when requests are accepted over TLS only. */
  readonly secure: boolean
  readonly emergencyCallingEnabled: boolean
  readonly emergencyCallerSid: string | undefined
  /** True when an authenticated caller may use another From than its user's. */
  readonly allowsAnyFrom: boolean
  /** Codecs to offer to softphones, the preferred one first; undefined: all, G.711 first. */
  readonly codecs: readonly Codec[] | undefined
  /** Stored and returned, but ignored: this server has no BYOC trunks. */
  readonly byocTrunkSid: string | undefined
  readonly region: SipDomainRegion
  readonly createdAt: number
  readonly updatedAt: number
}

/** The webhooks of a call to the domain. */
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
  const { voiceUrl, voiceMethod, voiceFallbackUrl, voiceFallbackMethod, ...others } = row
  const { statusCallback, statusCallbackMethod, regionSid, regionName, ...named } = others
  const { voiceRegion, regionUpdatedAt, ...plain } = named
  return fieldsOf(plain, {
    voice: {
      url: voiceUrl ?? undefined,
      method: voiceMethod,
      fallbackUrl: voiceFallbackUrl ?? undefined,
      fallbackMethod: voiceFallbackMethod,
      statusCallback: statusCallback ?? undefined,
      statusCallbackMethod,
    },
    sipRegistration: row.sipRegistration === 1,
    secure: row.secure === 1,
    emergencyCallingEnabled: row.emergencyCallingEnabled === 1,
    allowsAnyFrom: row.allowsAnyFrom === 1,
    codecs: row.codecs === null ? undefined : readCodecs(row.codecs),
    region: { sid: regionSid, friendlyName: regionName, voiceRegion, updatedAt: regionUpdatedAt },
  })
}

export function toSipDomainRow({ voice, region, ...domain }: SipDomain): Written<SipDomainsTable> {
  return columnsOf(domain, {
    voiceUrl: urlAtRest(voice.url),
    voiceMethod: voice.method,
    voiceFallbackUrl: urlAtRest(voice.fallbackUrl),
    voiceFallbackMethod: voice.fallbackMethod,
    statusCallback: urlAtRest(voice.statusCallback),
    statusCallbackMethod: voice.statusCallbackMethod,
    sipRegistration: Number(domain.sipRegistration),
    secure: Number(domain.secure),
    emergencyCallingEnabled: Number(domain.emergencyCallingEnabled),
    allowsAnyFrom: Number(domain.allowsAnyFrom),
    codecs: domain.codecs?.join(',') ?? null,
    regionSid: region.sid,
    regionName: region.friendlyName,
    voiceRegion: region.voiceRegion,
    regionUpdatedAt: region.updatedAt,
  })
}

/** Parses a list such as `opus, PCMU` without duplicates and unknown codecs. */
export function readCodecs(list: string): readonly Codec[] {
  const names = list.split(',').map((name) => name.trim().toUpperCase())
  return [...new Set(names)].flatMap((name) => CODECS.find((codec) => codec === name) ?? [])
}
