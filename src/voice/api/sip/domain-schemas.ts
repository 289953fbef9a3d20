/** Forms and wire form of SIP domains. Pure. */

import { z } from '@hono/zod-openapi'
import type { FormFields } from '../../../platform/api/read-body.js'
import { shownUrl, withKnownPassword } from '../../../platform/url-passwords.js'
import { API_VERSION } from '../../model/callback-params.js'
import { readCodecs, type SipDomain, type SipDomainVoice } from '../../sip-domains/sip-domain.js'
import type { SipDomainSettings } from '../../sip-domains/sip-domains.js'
import type { SipListKind } from '../../sip-domains/sip-lists.js'
import { CODECS } from '../../telephony/codecs.js'
import {
  callbackUrl,
  type FieldErrors,
  flag,
  httpMethod,
  httpUrl,
  optionalSid,
  optionalText,
  text,
} from '../dialect/form.js'
import { said } from '../dialect/operation.js'
import { dateFields, datesOf, sipPath } from './sip-wire.js'

const MAX_NAME_CHARS = 64
const ONE_LINE = /^[^\p{Cc}]*$/u
/** A host name of two labels or more (RFC 1123); the last one has a letter, so it is no address. */
const HOST_NAME =
  /^(?=.{3,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?=[^.]*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

const CODEC_LIST = new RegExp(
  `^\\s*(?:${CODECS.join('|')})(?:\\s*,\\s*(?:${CODECS.join('|')}))*\\s*$`,
  'i',
)

const settings = {
  FriendlyName: optionalText(ONE_LINE, 'must be one line', MAX_NAME_CHARS),
  VoiceUrl: httpUrl(),
  VoiceMethod: httpMethod(),
  VoiceFallbackUrl: httpUrl(),
  VoiceFallbackMethod: httpMethod(),
  VoiceStatusCallbackUrl: callbackUrl(),
  VoiceStatusCallbackMethod: httpMethod(),
  SipRegistration: flag(),
  Secure: flag(),
  EmergencyCallingEnabled: flag(),
  AllowAnyFrom: flag(),
  Codecs: optionalText(CODEC_LIST, `must be names with commas, of ${CODECS.join(', ')}`, 64),
  ByocTrunkSid: optionalSid('BY'),
  EmergencyCallerSid: optionalSid('PN'),
}

export const createDomainForm = z
  .object({
    DomainName: text().and(z.string().regex(HOST_NAME, 'must be a host name with a dot')),
    ...settings,
  })
  .openapi('CreateSipDomain')
export const updateDomainForm = z.object(settings).openapi('UpdateSipDomain')

type DomainForm = z.infer<typeof updateDomainForm>

export const DOMAIN_FIELD_ERRORS: FieldErrors = {
  DomainName: { invalid: 21232 },
  FriendlyName: { invalid: 20002 },
  VoiceUrl: { invalid: 21402 },
  VoiceMethod: { invalid: 21403 },
  VoiceFallbackUrl: { invalid: 21402 },
  VoiceFallbackMethod: { invalid: 21403 },
  VoiceStatusCallbackUrl: { invalid: 21609 },
  VoiceStatusCallbackMethod: { invalid: 21403 },
  SipRegistration: { invalid: 21231 },
  Secure: { invalid: 21231 },
  EmergencyCallingEnabled: { invalid: 21231 },
  AllowAnyFrom: { invalid: 21231 },
  Codecs: { invalid: 21231 },
  ByocTrunkSid: { invalid: 21300 },
  EmergencyCallerSid: { invalid: 21231 },
}

export const domainResource = z
  .object({
    sid: said('The sid of the domain: SD and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    friendly_name: said('A name for people.'),
    domain_name: said('The host name that softphones use.'),
    api_version: said('Always the same.'),
    auth_type: said('IP_ACL, CREDENTIAL_LIST, both with a comma, or empty: no call is taken.'),
    voice_url: said('Where the document of a call comes from.').nullable(),
    voice_method: said('GET or POST.'),
    voice_fallback_url: said('Where it comes from when the first URL fails.').nullable(),
    voice_fallback_method: said('GET or POST.'),
    voice_status_callback_url: said('Where the end of a call is told.').nullable(),
    voice_status_callback_method: said('GET or POST.'),
    sip_registration: z.boolean().openapi({ description: 'Whether softphones may register.' }),
    secure: z
      .boolean()
      .openapi({ description: 'Whether requests must come over TLS, and calls with SRTP.' }),
    emergency_calling_enabled: z
      .boolean()
      .openapi({ description: 'True: its callers reach 911 and 933 without a webhook.' }),
    allow_any_from: z.boolean().openapi({
      description: 'True: a caller with credentials may show another From than its user’s.',
    }),
    codecs: z.array(z.enum(CODECS)).openapi({
      description: 'The codecs that its softphones are offered, the preferred one first.',
    }),
    byoc_trunk_sid: said('What ByocTrunkSid was last set to. It has no effect.').nullable(),
    emergency_caller_sid: said('The number that its emergency calls show.').nullable(),
    ...dateFields,
    subresource_uris: z
      .record(z.string(), z.string())
      .openapi({ description: 'The paths of what belongs to it.' }),
  })
  .openapi('SipDomain')

const NO_SETTINGS: Omit<SipDomainSettings, 'friendlyName'> = {
  voice: {
    url: undefined,
    method: 'POST',
    fallbackUrl: undefined,
    fallbackMethod: 'POST',
    statusCallback: undefined,
    statusCallbackMethod: 'POST',
  },
  sipRegistration: false,
  secure: false,
  emergencyCallingEnabled: false,
  emergencyCallerSid: undefined,
  allowsAnyFrom: false,
  codecs: undefined,
  byocTrunkSid: undefined,
}

export function newSettings(domainName: string, form: DomainForm): SipDomainSettings {
  return changedSettings({ friendlyName: domainName, ...NO_SETTINGS }, form, {})
}

/**
 * The settings after a form: an absent field stays, an empty one of `fields` is cleared. Throws
 * MaskedPasswordError for a URL whose masked password is not that of the same field.
 */
export function changedSettings(
  current: SipDomainSettings,
  form: DomainForm,
  fields: FormFields,
): SipDomainSettings {
  const textOf = (name: keyof DomainForm, value: string | undefined, now: string | undefined) => {
    if (fields[name] === '') return undefined
    return value === undefined ? now : withKnownPassword(value, now)
  }
  const { voice } = current
  const changedVoice: SipDomainVoice = {
    url: textOf('VoiceUrl', form.VoiceUrl, voice.url),
    method: form.VoiceMethod ?? voice.method,
    fallbackUrl: textOf('VoiceFallbackUrl', form.VoiceFallbackUrl, voice.fallbackUrl),
    fallbackMethod: form.VoiceFallbackMethod ?? voice.fallbackMethod,
    statusCallback: textOf(
      'VoiceStatusCallbackUrl',
      form.VoiceStatusCallbackUrl,
      voice.statusCallback,
    ),
    statusCallbackMethod: form.VoiceStatusCallbackMethod ?? voice.statusCallbackMethod,
  }
  return {
    friendlyName: form.FriendlyName ?? current.friendlyName,
    voice: changedVoice,
    sipRegistration: form.SipRegistration ?? current.sipRegistration,
    secure: form.Secure ?? current.secure,
    emergencyCallingEnabled: form.EmergencyCallingEnabled ?? current.emergencyCallingEnabled,
    emergencyCallerSid: textOf(
      'EmergencyCallerSid',
      form.EmergencyCallerSid,
      current.emergencyCallerSid,
    ),
    allowsAnyFrom: form.AllowAnyFrom ?? current.allowsAnyFrom,
    codecs: codecsAfter(current, form, fields),
    byocTrunkSid: textOf('ByocTrunkSid', form.ByocTrunkSid, current.byocTrunkSid),
  }
}

function codecsAfter(
  { codecs }: SipDomainSettings,
  form: DomainForm,
  fields: FormFields,
): SipDomainSettings['codecs'] {
  if (fields['Codecs'] === '') return undefined
  return form.Codecs === undefined ? codecs : readCodecs(form.Codecs)
}

const AUTH_TYPES: readonly (readonly [SipListKind, string])[] = [
  ['addresses', 'IP_ACL'],
  ['credentials', 'CREDENTIAL_LIST'],
]

export function domainToWire(
  domain: SipDomain,
  mapped: ReadonlySet<SipListKind> | undefined,
): z.infer<typeof domainResource> {
  const { voice } = domain
  const path = sipPath(domain.accountSid, `Domains/${domain.sid}`)
  return {
    sid: domain.sid,
    account_sid: domain.accountSid,
    friendly_name: domain.friendlyName,
    domain_name: domain.domainName,
    api_version: API_VERSION,
    auth_type: AUTH_TYPES.flatMap(([kind, name]) => (mapped?.has(kind) ? [name] : [])).join(','),
    voice_url: shownUrl(voice.url),
    voice_method: voice.method,
    voice_fallback_url: shownUrl(voice.fallbackUrl),
    voice_fallback_method: voice.fallbackMethod,
    voice_status_callback_url: shownUrl(voice.statusCallback),
    voice_status_callback_method: voice.statusCallbackMethod,
    sip_registration: domain.sipRegistration,
    secure: domain.secure,
    emergency_calling_enabled: domain.emergencyCallingEnabled,
    allow_any_from: domain.allowsAnyFrom,
    codecs: [...(domain.codecs ?? CODECS)],
    byoc_trunk_sid: domain.byocTrunkSid ?? null,
    emergency_caller_sid: domain.emergencyCallerSid ?? null,
    ...datesOf(domain),
    uri: `${path}.json`,
    subresource_uris: {
      credential_list_mappings: `${path}/CredentialListMappings.json`,
      ip_access_control_list_mappings: `${path}/IpAccessControlListMappings.json`,
    },
  }
}
