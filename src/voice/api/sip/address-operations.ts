/** The IpAddresses resource of an IP access control list. */

import { isIP } from 'node:net'
import { z } from '@hono/zod-openapi'
import type { SipAddressSettings } from '../../sip-domains/sip-addresses.js'
import type { SipResources } from '../../sip-domains/sip-resources.js'
import type { SipAddress } from '../../sip-domains/tables.js'
import { ApiError } from '../dialect/errors.js'
import { integer, optionalText } from '../dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from '../dialect/operation.js'
import { positionOf } from '../dialect/voice-paging.js'
import { dateFields, datesOf, SIP, sipPath } from './sip-wire.js'

const ADDRESSES = `${SIP}/IpAccessControlLists/{IpAccessControlListSid}/IpAddresses` as const
const ADDRESS = `${ADDRESSES}/{Sid}` as const
const listParam = { IpAccessControlListSid: sid('AL', 'IP access control list') }
const params = { ...listParam, Sid: sid('IP', 'address') }

const IPV4_BITS = 32
const IPV6_BITS = 128

const fields = {
  FriendlyName: optionalText(/^[^\p{Cc}]*$/u, 'must be one line', 255),
  IpAddress: optionalText(/^[0-9A-Fa-f.:]{2,45}$/, 'must be an IP address'),
  CidrPrefixLength: integer(0, IPV6_BITS),
}
const createForm = z
  .object(fields)
  .openapi('CreateIpAddress', { required: ['FriendlyName', 'IpAddress'] })
const updateForm = z.object(fields).openapi('UpdateIpAddress')
const fieldErrors = {
  FriendlyName: { invalid: 21238 },
  IpAddress: { invalid: 21238 },
  CidrPrefixLength: { invalid: 21238 },
} as const

const addressResource = z
  .object({
    sid: said('The sid of the address: IP and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    ip_access_control_list_sid: said('The sid of its list.'),
    friendly_name: said('A name for people.'),
    ip_address: said('The IPv4 or IPv6 address.'),
    cidr_prefix_length: z
      .number()
      .int()
      .openapi({ description: 'How many bits of the address count.' }),
    ...dateFields,
  })
  .openapi('SipIpAddress')

export function addressOperations({ addresses }: SipResources): VoiceOperation[] {
  return [
    operation({
      id: 'createIpAddress',
      summary: 'Add an address to an IP access control list',
      method: 'post',
      path: ADDRESSES,
      params: listParam,
      body: createForm,
      fieldErrors,
      status: 201,
      response: addressResource,
      errors: [404],
      run: async ({ caller, params: { IpAccessControlListSid: of }, body }) => {
        for (const name of ['FriendlyName', 'IpAddress'] as const)
          if (body[name] === undefined)
            throw new ApiError(400, 21238, `Required parameter '${name}' is missing`)
        return toWire(await addresses.create(caller.sid, of, changed(undefined, body)))
      },
    }),
    list({
      id: 'listIpAddresses',
      summary: 'List the addresses of an IP access control list, the newest first',
      path: ADDRESSES,
      params: listParam,
      name: 'ip_addresses',
      record: addressResource,
      errors: [404],
      run: async ({ caller, params: { IpAccessControlListSid: of } }, page) => {
        const found = await addresses.list(caller.sid, of, page)
        return {
          ...found,
          items: found.items.map(toWire),
          first: positionOf(found.items[0]),
          path: sipPath(caller.sid, `IpAccessControlLists/${of}/IpAddresses`),
        }
      },
    }),
    ...oneAddress(addresses),
  ]
}

function oneAddress(addresses: SipResources['addresses']): VoiceOperation[] {
  return [
    operation({
      id: 'fetchIpAddress',
      summary: 'Get an address',
      method: 'get',
      path: ADDRESS,
      params,
      response: addressResource,
      errors: [404],
      run: async ({ caller, params: { IpAccessControlListSid: of, Sid } }) =>
        toWire(await addresses.fetch(caller.sid, of, Sid)),
    }),
    operation({
      id: 'updateIpAddress',
      summary: 'Change an address: absent fields stay as they are',
      method: 'post',
      path: ADDRESS,
      params,
      body: updateForm,
      fieldErrors,
      response: addressResource,
      errors: [404],
      run: async ({ caller, params: { IpAccessControlListSid: of, Sid }, body }) =>
        toWire(await addresses.update(caller.sid, of, Sid, (current) => changed(current, body))),
    }),
    operation({
      id: 'deleteIpAddress',
      summary: 'Delete an address',
      method: 'delete',
      path: ADDRESS,
      params,
      errors: [404],
      run: ({ caller, params: { IpAccessControlListSid: of, Sid } }) =>
        addresses.remove(caller.sid, of, Sid),
    }),
  ]
}

/**
 * Returns the address with the changes of a form. Throws 21238 when the result is not an address
 * with a prefix.
 */
function changed(
  current: SipAddress | undefined,
  form: z.infer<typeof updateForm>,
): SipAddressSettings {
  const ipAddress = form.IpAddress ?? current?.ipAddress ?? ''
  const version = isIP(ipAddress)
  if (version === 0)
    throw new ApiError(400, 21238, `'IpAddress' is not valid: ${ipAddress} is no IP address`)
  const bits = version === 4 ? IPV4_BITS : IPV6_BITS
  const prefixLength = form.CidrPrefixLength ?? keptLength(current, form) ?? bits
  if (prefixLength > bits)
    throw new ApiError(400, 21238, `'CidrPrefixLength' is not valid: must be at most ${bits}`)
  return { friendlyName: form.FriendlyName ?? current?.friendlyName ?? '', ipAddress, prefixLength }
}

/** Returns the current prefix length. A new address without one gets the full length. */
function keptLength(
  current: SipAddress | undefined,
  form: z.infer<typeof updateForm>,
): number | undefined {
  return form.IpAddress === undefined ? current?.prefixLength : undefined
}

function toWire(address: SipAddress): z.infer<typeof addressResource> {
  const { accountSid, listSid, sid: own } = address
  return {
    sid: own,
    account_sid: accountSid,
    ip_access_control_list_sid: listSid,
    friendly_name: address.friendlyName,
    ip_address: address.ipAddress,
    cidr_prefix_length: address.prefixLength,
    ...datesOf(address),
    uri: `${sipPath(accountSid, `IpAccessControlLists/${listSid}/IpAddresses/${own}`)}.json`,
  }
}
