/** The list mappings of a SIP domain, at the older and the newer paths. */
import { z } from '@hono/zod-openapi'
import type { SipListKind } from '../../sip-domains/sip-lists.js'
import type { MappingPlace, MappingPurpose, SipMapping } from '../../sip-domains/sip-mappings.js'
import type { SipResources } from '../../sip-domains/sip-resources.js'
import { text } from '../dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from '../dialect/operation.js'
import { newestFirst, pageOfAll } from '../dialect/voice-paging.js'
import { dateFields, datesOf, SIP, sipPath } from './sip-wire.js'

const DOMAIN = `${SIP}/Domains/{DomainSid}` as const

interface Form {
  readonly path:
    | 'CredentialListMappings'
    | 'IpAccessControlListMappings'
    | 'Auth/Calls/CredentialListMappings'
    | 'Auth/Calls/IpAccessControlListMappings'
    | 'Auth/Registrations/CredentialListMappings'
  /** The mapping name in operation ids. */
  readonly id: string
  readonly words: string
  /** The name of the record array in a page. */
  readonly name: 'credential_list_mappings' | 'ip_access_control_list_mappings' | 'contents'
  readonly kind: SipListKind
  readonly purpose: MappingPurpose
}

/** The path variants. The older paths show the same mappings as the newer ones for calls. */
const FORMS: readonly Form[] = [
  {
    path: 'CredentialListMappings',
    id: 'CredentialListMapping',
    words: 'credential list',
    name: 'credential_list_mappings',
    kind: 'credentials',
    purpose: 'calls',
  },
  {
    path: 'IpAccessControlListMappings',
    id: 'IpAccessControlListMapping',
    words: 'IP access control list',
    name: 'ip_access_control_list_mappings',
    kind: 'addresses',
    purpose: 'calls',
  },
  {
    path: 'Auth/Calls/CredentialListMappings',
    id: 'CallsCredentialListMapping',
    words: 'credential list for calls',
    name: 'contents',
    kind: 'credentials',
    purpose: 'calls',
  },
  {
    path: 'Auth/Calls/IpAccessControlListMappings',
    id: 'CallsIpAccessControlListMapping',
    words: 'IP access control list for calls',
    name: 'contents',
    kind: 'addresses',
    purpose: 'calls',
  },
  {
    path: 'Auth/Registrations/CredentialListMappings',
    id: 'RegistrationsCredentialListMapping',
    words: 'credential list for registrations',
    name: 'contents',
    kind: 'credentials',
    purpose: 'registrations',
  },
]

/** Schema of a list sid in a form, with hex digits in either case. */
function sidOfList(prefix: string) {
  const pattern = new RegExp(`^${prefix}[0-9a-fA-F]{32}$`)
  return text().pipe(
    z
      .string()
      .regex(pattern)
      .transform((sid) => prefix + sid.slice(2).toLowerCase()),
  )
}

const credentialForm = z.object({ CredentialListSid: sidOfList('CL') }).openapi('MapCredentialList')
const addressForm = z
  .object({ IpAccessControlListSid: sidOfList('AL') })
  .openapi('MapIpAccessControlList')
const fieldErrors = {
  CredentialListSid: { invalid: 21231 },
  IpAccessControlListSid: { invalid: 21231 },
}

const mappingResource = z
  .object({
    sid: said('The sid of the mapped list.'),
    account_sid: said('The sid of its account.'),
    domain_sid: said('The sid of the domain.'),
    friendly_name: said('The name of the mapped list.'),
    ...dateFields,
  })
  .openapi('SipMapping')

export function mappingOperations(sip: SipResources): VoiceOperation[] {
  return FORMS.flatMap((form) => [...mappings(sip, form), ...oneMapping(sip, form)])
}

function mappings({ mappings: store }: SipResources, form: Form): VoiceOperation[] {
  const path = `${DOMAIN}/${form.path}` as const
  const params = { DomainSid: sid('SD', 'SIP domain') }
  return [
    operation({
      id: `create${form.id}`,
      summary: `Map an ${form.words} to a SIP domain`.replace('an c', 'a c'),
      method: 'post',
      path,
      params,
      body: form.kind === 'credentials' ? credentialForm : addressForm,
      fieldErrors,
      status: 201,
      response: mappingResource,
      errors: [404],
      run: async ({ caller, params: { DomainSid }, body }) => {
        const listSid =
          'CredentialListSid' in body ? body.CredentialListSid : body.IpAccessControlListSid
        const place = placeOf(caller.sid, DomainSid, form)
        return toWire(await store.create(place, listSid), form)
      },
    }),
    list({
      id: `list${form.id}s`,
      summary: `List each ${form.words} that is mapped to a SIP domain, the newest first`,
      path,
      params,
      name: form.name,
      record: mappingResource,
      errors: [404],
      run: async ({ caller, params: { DomainSid } }, page) => {
        const place = placeOf(caller.sid, DomainSid, form)
        const all = await store.list(place)
        const where = ({ createdAt, sid: own }: SipMapping) => ({ at: createdAt, sid: own })
        const { items, ...rest } = pageOfAll(all, page, where, newestFirst)
        return {
          ...rest,
          items: items.map((each) => toWire(each, form)),
          path: sipPath(caller.sid, `Domains/${place.domainSid}/${form.path}`),
        }
      },
    }),
  ]
}

function oneMapping({ mappings: store }: SipResources, form: Form): VoiceOperation[] {
  const path = `${DOMAIN}/${form.path}/{Sid}` as const
  const params = {
    DomainSid: sid('SD', 'SIP domain'),
    Sid: sid(form.kind === 'credentials' ? 'CL' : 'AL', 'mapped list'),
  }
  return [
    operation({
      id: `fetch${form.id}`,
      summary: `Get the mapping of an ${form.words}`.replace('an c', 'a c'),
      method: 'get',
      path,
      params,
      response: mappingResource,
      errors: [404],
      run: async ({ caller, params: { DomainSid, Sid } }) =>
        toWire(await store.fetch(placeOf(caller.sid, DomainSid, form), Sid), form),
    }),
    operation({
      id: `delete${form.id}`,
      summary: `Remove the mapping of an ${form.words}`.replace('an c', 'a c'),
      method: 'delete',
      path,
      params,
      errors: [404],
      run: ({ caller, params: { DomainSid, Sid } }) =>
        store.remove(placeOf(caller.sid, DomainSid, form), Sid),
    }),
  ]
}

function placeOf(accountSid: string, domainSid: string, { kind, purpose }: Form): MappingPlace {
  return { accountSid, domainSid, kind, purpose }
}

function toWire(mapping: SipMapping, form: Form): z.infer<typeof mappingResource> {
  const { accountSid, domainSid, sid: own } = mapping
  return {
    sid: own,
    account_sid: accountSid,
    domain_sid: domainSid,
    friendly_name: mapping.friendlyName,
    ...datesOf(mapping),
    uri: `${sipPath(accountSid, `Domains/${domainSid}/${form.path}/${own}`)}.json`,
  }
}
