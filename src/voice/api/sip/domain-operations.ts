/** The SIP Domains resource of an account. */
import { z } from '@hono/zod-openapi'
import type { FormFields } from '../../../platform/api/read-body.js'
import { shownUrl, withKnownPassword } from '../../../platform/url-passwords.js'
import { API_VERSION } from '../../model/callback-params.js'
import { readCodecs, type SipDomain, type SipDomainVoice } from '../../sip-domains/sip-domain.js'
import type { SipDomainSettings } from '../../sip-domains/sip-domains.js'
import type { SipListKind } from '../../sip-domains/sip-lists.js'
import type { SipResources } from '../../sip-domains/sip-resources.js'
import { CODECS } from '../../telephony/codecs.js'
import {
  callbackUrl,
  type FieldErrors,
  flag,
  httpMethod,
  httpUrl,
  optionalSid,
  optionalText,
  queryText,
  text,
  VOICE_URL_ERRORS,
} from '../dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from '../dialect/operation.js'
import { positionOf } from '../dialect/voice-paging.js'
import { dateFields, datesOf, SIP, sipPath } from './sip-wire.js'

const DOMAINS = `${SIP}/Domains` as const
const DOMAIN = `${DOMAINS}/{Sid}` as const
const params = { Sid: sid('SD', 'SIP domain') }
const EMERGENCY =
  'With EmergencyCallingEnabled, calls to 911 and 933 need no webhook; they show the number of EmergencyCallerSid, whose emergency address help is sent to. There are no BYOC trunks: a ByocTrunkSid is stored and has no effect.'

export interface DomainDeps {
  readonly sip: SipResources
}

const MAX_NAME_CHARS = 64
const ONE_LINE = /^[^\p{Cc}]*$/u
/**
 * A host name of at least two labels (RFC 1123). Its last label has a letter, which excludes IP
 * addresses.
 */
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

const createDomainForm = z
  .object({
    DomainName: text().and(z.string().regex(HOST_NAME, 'must be a host name with a dot')),
    ...settings,
  })
  .openapi('CreateSipDomain')
const updateDomainForm = z.object(settings).openapi('UpdateSipDomain')

type DomainForm = z.infer<typeof updateDomainForm>

const DOMAIN_FIELD_ERRORS: FieldErrors = {
  DomainName: { invalid: 21232 },
  FriendlyName: { invalid: 20002 },
  ...VOICE_URL_ERRORS,
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

const domainResource = z
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

const AUTH_TYPES: readonly (readonly [SipListKind, string])[] = [
  ['addresses', 'IP_ACL'],
  ['credentials', 'CREDENTIAL_LIST'],
]

export function domainOperations(deps: DomainDeps): VoiceOperation[] {
  return [...domainsOfAccount(deps), ...oneDomain(deps)]
}

function domainsOfAccount(deps: DomainDeps): VoiceOperation[] {
  const { sip } = deps
  return [
    operation({
      id: 'createSipDomain',
      summary: 'Create a SIP domain',
      description: EMERGENCY,
      method: 'post',
      path: DOMAINS,
      body: createDomainForm,
      fieldErrors: DOMAIN_FIELD_ERRORS,
      status: 201,
      response: domainResource,
      run: async ({ caller, body }) => {
        const settings = newSettings(body.DomainName, body)
        const domain = await sip.domains.create(caller.sid, body.DomainName, settings)
        return domainToWire(domain, undefined)
      },
    }),
    list({
      id: 'listSipDomains',
      summary: 'List SIP domains, the newest first',
      path: DOMAINS,
      name: 'domains',
      record: domainResource,
      query: z.object({ FriendlyName: queryText('Only the domains of exactly this name.') }),
      run: async ({ caller, query: { FriendlyName } }, page) => {
        const filter = { friendlyName: FriendlyName === '' ? undefined : FriendlyName }
        const found = await sip.domains.list(caller.sid, filter, page)
        const mapped = await sip.mappings.authTypesOf(found.items.map((domain) => domain.sid))
        return {
          ...found,
          items: found.items.map((domain) => domainToWire(domain, mapped.get(domain.sid))),
          first: positionOf(found.items[0]),
          path: sipPath(caller.sid, 'Domains'),
        }
      },
    }),
  ]
}

function oneDomain(deps: DomainDeps): VoiceOperation[] {
  const { domains, mappings } = deps.sip
  const show = async (domain: SipDomain) =>
    domainToWire(domain, (await mappings.authTypesOf([domain.sid])).get(domain.sid))
  return [
    operation({
      id: 'fetchSipDomain',
      summary: 'Get a SIP domain',
      method: 'get',
      path: DOMAIN,
      params,
      response: domainResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) => show(await domains.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'updateSipDomain',
      summary: 'Change a SIP domain: present fields change, empty ones are cleared',
      description: EMERGENCY,
      method: 'post',
      path: DOMAIN,
      params,
      body: updateDomainForm,
      fieldErrors: DOMAIN_FIELD_ERRORS,
      response: domainResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body, given }) => {
        await domains.fetch(caller.sid, Sid)
        // The parsed form does not tell an empty field from an absent one.
        const fields = given as FormFields
        const domain = await domains.update(caller.sid, Sid, (current) =>
          changedSettings(current, body, fields),
        )
        return show(domain)
      },
    }),
    operation({
      id: 'deleteSipDomain',
      summary: 'Delete a SIP domain with its mappings and registrations',
      method: 'delete',
      path: DOMAIN,
      params,
      errors: [404],
      run: ({ caller, params: { Sid } }) => domains.remove(caller.sid, Sid),
    }),
  ]
}

function newSettings(domainName: string, form: DomainForm): SipDomainSettings {
  return changedSettings({ friendlyName: domainName, ...NO_SETTINGS }, form, {})
}

/**
 * Returns the settings with the changes of a form: an absent field is kept, an empty one in
 * `fields` is cleared. Throws MaskedPasswordError for a URL whose masked password does not belong
 * to the same field.
 */
function changedSettings(
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

function domainToWire(
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
