/** The CredentialLists and IpAccessControlLists resources. */
import { z } from '@hono/zod-openapi'
import type { ErrorNumber } from '../../errors/error-catalogue.js'
import type { SipResources } from '../../sip-domains/sip-resources.js'
import type { SipList } from '../../sip-domains/tables.js'
import { text } from '../dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from '../dialect/operation.js'
import { positionOf } from '../dialect/voice-paging.js'
import { dateFields, datesOf, SIP, sipPath } from './sip-wire.js'

interface ListFacts {
  readonly segment: 'CredentialLists' | 'IpAccessControlLists'
  readonly name: 'credential_lists' | 'ip_access_control_lists'
  /** The resource name in operation ids. */
  readonly id: 'CredentialList' | 'IpAccessControlList'
  readonly words: string
  readonly prefix: 'CL' | 'AL'
  readonly invalid: ErrorNumber
  readonly entries: 'Credentials' | 'IpAddresses'
  readonly entriesName: 'credentials' | 'ip_addresses'
  readonly maxNameChars: number
}

const CREDENTIAL_LISTS: ListFacts = {
  segment: 'CredentialLists',
  name: 'credential_lists',
  id: 'CredentialList',
  words: 'credential list',
  prefix: 'CL',
  invalid: 21240,
  entries: 'Credentials',
  entriesName: 'credentials',
  maxNameChars: 64,
}

const ACCESS_LISTS: ListFacts = {
  segment: 'IpAccessControlLists',
  name: 'ip_access_control_lists',
  id: 'IpAccessControlList',
  words: 'IP access control list',
  prefix: 'AL',
  invalid: 21235,
  entries: 'IpAddresses',
  entriesName: 'ip_addresses',
  maxNameChars: 255,
}

const listResource = z
  .object({
    sid: said('The sid of the list: CL or AL, and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    friendly_name: said('A name for people.'),
    ...dateFields,
    subresource_uris: z
      .record(z.string(), z.string())
      .openapi({ description: 'The paths of what belongs to it.' }),
  })
  .openapi('SipList')

/** Returns the operations on lists of both kinds, without those on list entries. */
export function sipListOperations(sip: SipResources): VoiceOperation[] {
  return [...listsOfKind(sip, CREDENTIAL_LISTS), ...listsOfKind(sip, ACCESS_LISTS)]
}

function listsOfKind(sip: SipResources, facts: ListFacts): VoiceOperation[] {
  const form = z
    .object({
      FriendlyName: text().and(
        z
          .string()
          .max(facts.maxNameChars)
          .regex(/^(?=.*\S)[^\p{Cc}]+$/u, 'must be one line'),
      ),
    })
    .openapi(`Name${facts.id}`)
  return [...allLists(sip, facts, form), ...oneList(sip, facts, form)]
}

type NameForm = z.ZodType<{ readonly FriendlyName: string }>

const ofKind = (sip: SipResources, { prefix }: ListFacts) =>
  prefix === 'CL' ? sip.credentialLists : sip.accessLists

function allLists(sip: SipResources, facts: ListFacts, form: NameForm): VoiceOperation[] {
  const lists = ofKind(sip, facts)
  const path = `${SIP}/${facts.segment}` as const
  return [
    operation({
      id: `create${facts.id}`,
      summary: `Create an ${facts.words}`.replace('an c', 'a c'),
      method: 'post',
      path,
      body: form,
      fieldErrors: { FriendlyName: { invalid: facts.invalid } },
      status: 201,
      response: listResource,
      run: async ({ caller, body }) =>
        listToWire(await lists.create(caller.sid, body.FriendlyName), facts),
    }),
    list({
      id: `list${facts.id}s`,
      summary: `List ${facts.words}s, the newest first`,
      path,
      name: facts.name,
      record: listResource,
      run: async ({ caller }, page) => {
        const found = await lists.list(caller.sid, page)
        return {
          ...found,
          items: found.items.map((each) => listToWire(each, facts)),
          first: positionOf(found.items[0]),
          path: sipPath(caller.sid, facts.segment),
        }
      },
    }),
  ]
}

function oneList(sip: SipResources, facts: ListFacts, form: NameForm): VoiceOperation[] {
  const lists = ofKind(sip, facts)
  const path = `${SIP}/${facts.segment}/{Sid}` as const
  const params = { Sid: sid(facts.prefix, facts.words) }
  return [
    operation({
      id: `fetch${facts.id}`,
      summary: `Get an ${facts.words}`.replace('an c', 'a c'),
      method: 'get',
      path,
      params,
      response: listResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        listToWire(await lists.fetch(caller.sid, Sid), facts),
    }),
    operation({
      id: `update${facts.id}`,
      summary: `Rename an ${facts.words}`.replace('an c', 'a c'),
      method: 'post',
      path,
      params,
      body: form,
      fieldErrors: { FriendlyName: { invalid: facts.invalid } },
      response: listResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body }) =>
        listToWire(await lists.rename(caller.sid, Sid, body.FriendlyName), facts),
    }),
    operation({
      id: `delete${facts.id}`,
      summary: `Delete an ${facts.words} that is mapped to no domain`.replace('an c', 'a c'),
      method: 'delete',
      path,
      params,
      errors: [404],
      run: ({ caller, params: { Sid } }) => lists.remove(caller.sid, Sid),
    }),
  ]
}

function listToWire(of: SipList, facts: ListFacts): z.infer<typeof listResource> {
  const path = sipPath(of.accountSid, `${facts.segment}/${of.sid}`)
  return {
    sid: of.sid,
    account_sid: of.accountSid,
    friendly_name: of.friendlyName,
    ...datesOf(of),
    uri: `${path}.json`,
    subresource_uris: { [facts.entriesName]: `${path}/${facts.entries}.json` },
  }
}
