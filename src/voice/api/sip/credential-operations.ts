/** The Credentials resource of a credential list. A response never contains a password. */
import { z } from '@hono/zod-openapi'
import type { SipCredential } from '../../sip-domains/sip-credentials.js'
import type { SipResources } from '../../sip-domains/sip-resources.js'
import { text } from '../dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from '../dialect/operation.js'
import { positionOf } from '../dialect/voice-paging.js'
import { dateFields, datesOf, SIP, sipPath } from './sip-wire.js'

const CREDENTIALS = `${SIP}/CredentialLists/{CredentialListSid}/Credentials` as const
const CREDENTIAL = `${CREDENTIALS}/{Sid}` as const
const listParam = { CredentialListSid: sid('CL', 'credential list') }
const params = { ...listParam, Sid: sid('CR', 'credential') }

/**
 * A user name: characters of a SIP user part without escapes (RFC 3261 §25.1) or digest quoting.
 */
const USERNAME = /^[A-Za-z0-9\-_.!~*'()+]{1,32}$/
/** A password: 12 to 128 characters with lower case, upper case and a digit. */
const PASSWORD = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[^\p{Cc}]{12,128}$/u
const PASSWORD_RULE = 'must have 12 characters, lower and upper case and a digit'

const password = () => text().and(z.string().regex(PASSWORD, PASSWORD_RULE))
const createForm = z
  .object({
    Username: text().and(
      z.string().regex(USERNAME, "must be 1 to 32 of letters, digits and -_.!~*'()+"),
    ),
    Password: password(),
  })
  .openapi('CreateCredential')
const updateForm = z.object({ Password: password().optional() }).openapi('UpdateCredential')
const fieldErrors = { Username: { invalid: 21243 }, Password: { invalid: 21243 } }

const credentialResource = z
  .object({
    sid: said('The sid of the credential: CR and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    credential_list_sid: said('The sid of its list.'),
    username: said('The name that a softphone sends.'),
    ...dateFields,
  })
  .openapi('SipCredential')

export function credentialOperations({ credentials }: SipResources): VoiceOperation[] {
  return [
    operation({
      id: 'createCredential',
      summary: 'Add a credential to a credential list',
      method: 'post',
      path: CREDENTIALS,
      params: listParam,
      body: createForm,
      fieldErrors,
      status: 201,
      response: credentialResource,
      errors: [404],
      run: async ({ caller, params: { CredentialListSid }, body }) => {
        const wanted = { username: body.Username, password: body.Password }
        return toWire(await credentials.create(caller.sid, CredentialListSid, wanted))
      },
    }),
    list({
      id: 'listCredentials',
      summary: 'List the credentials of a credential list, the newest first',
      path: CREDENTIALS,
      params: listParam,
      name: 'credentials',
      record: credentialResource,
      errors: [404],
      run: async ({ caller, params: { CredentialListSid } }, page) => {
        const found = await credentials.list(caller.sid, CredentialListSid, page)
        return {
          ...found,
          items: found.items.map(toWire),
          first: positionOf(found.items[0]),
          path: sipPath(caller.sid, `CredentialLists/${CredentialListSid}/Credentials`),
        }
      },
    }),
    ...oneCredential(credentials),
  ]
}

function oneCredential(credentials: SipResources['credentials']): VoiceOperation[] {
  return [
    operation({
      id: 'fetchCredential',
      summary: 'Get a credential',
      method: 'get',
      path: CREDENTIAL,
      params,
      response: credentialResource,
      errors: [404],
      run: async ({ caller, params: { CredentialListSid: of, Sid } }) =>
        toWire(await credentials.fetch(caller.sid, of, Sid)),
    }),
    operation({
      id: 'updateCredential',
      summary: 'Change the password of a credential',
      method: 'post',
      path: CREDENTIAL,
      params,
      body: updateForm,
      fieldErrors,
      response: credentialResource,
      errors: [404],
      run: async ({ caller, params: { CredentialListSid: of, Sid }, body }) =>
        toWire(await credentials.update(caller.sid, of, Sid, body.Password)),
    }),
    operation({
      id: 'deleteCredential',
      summary: 'Delete a credential',
      method: 'delete',
      path: CREDENTIAL,
      params,
      errors: [404],
      run: ({ caller, params: { CredentialListSid: of, Sid } }) =>
        credentials.remove(caller.sid, of, Sid),
    }),
  ]
}

function toWire(credential: SipCredential): z.infer<typeof credentialResource> {
  const { accountSid, listSid, sid: own } = credential
  return {
    sid: own,
    account_sid: accountSid,
    credential_list_sid: listSid,
    username: credential.username,
    ...datesOf(credential),
    uri: `${sipPath(accountSid, `CredentialLists/${listSid}/Credentials/${own}`)}.json`,
  }
}
