/** The Account resource: operations and wire form. */
import { z } from '@hono/zod-openapi'
import type { Account, AccountChange, Accounts } from '../../accounts/accounts.js'
import type { AccountSettings } from '../../accounts/settings.js'
import type { FormFields } from '../../platform/api/read-body.js'
import { isRange } from '../../platform/cidr.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { ApiError } from './dialect/errors.js'
import {
  type FieldErrors,
  httpMethod,
  httpUrl,
  optionalText,
  presentFields,
  textList,
  VOICE_URL_ERRORS,
} from './dialect/form.js'
import { operation, said, type VoiceOperation } from './dialect/operation.js'
import { unknownPath } from './dialect/voice-dialect.js'

const ACCOUNT = '/Accounts/{AccountSid}'
const SUBRESOURCES = [
  ...['AvailablePhoneNumbers', 'Calls', 'Conferences', 'IncomingPhoneNumbers', 'Notifications'],
  ...['OutgoingCallerIds', 'Recordings', 'Transcriptions', 'Addresses', 'SigningKeys'],
  ...['ConnectApps', 'SIP', 'AuthorizedConnectApps', 'Usage', 'Keys', 'Applications'],
  ...['SMS/ShortCodes', 'Queues', 'Messages', 'Balance'],
]

const accountResource = z
  .object({
    sid: said('The sid of the account: AC and 32 hex digits.'),
    friendly_name: said('A name for people.'),
    status: z
      .enum(['active', 'suspended', 'closed'])
      .openapi({ description: 'Only an active account may be used.' }),
    type: z.literal('Full').openapi({ description: 'Always the same.' }),
    owner_account_sid: said('The sid of the account itself.'),
    date_created: said('When it was made, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
    subresource_uris: z
      .record(z.string(), z.string())
      .openapi({ description: 'The paths of what belongs to it.' }),
  })
  .openapi('Account')

const MAX_NAME_CHARS = 64
const MAX_CIDRS = 200
const ONE_LINE = /^[^\p{Cc}]*$/u

const line = () => optionalText(ONE_LINE, undefined, 1_024)

/** The account form. An absent field keeps its value; an empty field is cleared. */
const accountForm = z
  .object({
    FriendlyName: optionalText(ONE_LINE, undefined, MAX_NAME_CHARS),
    VoiceUrl: httpUrl(),
    VoiceMethod: httpMethod(),
    VoiceFallbackUrl: httpUrl(),
    VoiceFallbackMethod: httpMethod(),
    SttFsVendor: line(),
    SttHttpUrl: httpUrl(),
    SttHttpToken: line(),
    TtsHttpUrl: httpUrl(),
    TtsHttpToken: line(),
    TtsEngineName: line(),
    TtsDefaultVoice: line(),
    TtsDefaultLanguage: line(),
    StorageBucket: line(),
    StorageRegion: line(),
    StoragePrefix: line(),
    StorageAccessKeyId: line(),
    StorageSecretAccessKey: line(),
    StorageKmsKeyId: line(),
    AllowCidr: textList(MAX_CIDRS, isRange, 'must be an address or a CIDR'),
  })
  .openapi('UpdateAccount')

type AccountForm = z.infer<typeof accountForm>

const ACCOUNT_FIELD_ERRORS: FieldErrors = {
  FriendlyName: { invalid: 20002 },
  ...VOICE_URL_ERRORS,
  SttHttpUrl: { invalid: 21402 },
  TtsHttpUrl: { invalid: 21402 },
}

export function accountOperations(accounts: Accounts): VoiceOperation[] {
  return [
    operation({
      id: 'fetchAccount',
      summary: 'Get the account',
      method: 'get',
      path: ACCOUNT,
      response: accountResource,
      run: ({ caller }) => accountToWire(caller),
    }),
    operation({
      id: 'updateAccount',
      summary: 'Change the account: present fields change, empty ones are cleared',
      method: 'post',
      path: ACCOUNT,
      body: accountForm,
      formats: ['form', 'json'],
      fieldErrors: ACCOUNT_FIELD_ERRORS,
      response: accountResource,
      run: async ({ caller, body, given }) => {
        // The parsed form does not tell an empty field from an absent one; `given` does.
        const change = accountChangeOf(body, given as FormFields, caller.settings)
        const changed = await accounts.update(caller.sid, change)
        if (changed === undefined) throw unknownPath()
        return accountToWire(changed)
      },
    }),
  ]
}

/** Returns the account changes that the form requests. */
function accountChangeOf(
  form: AccountForm,
  fields: FormFields,
  current: AccountSettings,
): AccountChange {
  const voice = presentFields(form, fields, {
    url: 'VoiceUrl',
    method: 'VoiceMethod',
    fallbackUrl: 'VoiceFallbackUrl',
    fallbackMethod: 'VoiceFallbackMethod',
  })
  const next = { ...current.voice, ...voice }
  if (next.fallbackUrl !== undefined && next.url === undefined)
    throw new ApiError(400, 21405, 'VoiceFallbackUrl cannot be set without VoiceUrl')
  return {
    ...(form.FriendlyName === undefined ? {} : { friendlyName: form.FriendlyName }),
    settings: {
      voice,
      stt: presentFields(form, fields, {
        vendor: 'SttFsVendor',
        url: 'SttHttpUrl',
        token: 'SttHttpToken',
      }),
      tts: presentFields(form, fields, {
        url: 'TtsHttpUrl',
        token: 'TtsHttpToken',
        engineName: 'TtsEngineName',
        defaultVoice: 'TtsDefaultVoice',
        defaultLanguage: 'TtsDefaultLanguage',
      }),
      storage: presentFields(form, fields, {
        bucket: 'StorageBucket',
        region: 'StorageRegion',
        prefix: 'StoragePrefix',
        accessKeyId: 'StorageAccessKeyId',
        secretAccessKey: 'StorageSecretAccessKey',
        kmsKeyId: 'StorageKmsKeyId',
      }),
      ...(form.AllowCidr === undefined ? {} : { allowCidr: form.AllowCidr }),
    },
  }
}

function accountToWire(account: Account): z.infer<typeof accountResource> {
  const path = `/${API_VERSION}/Accounts/${account.sid}`
  return {
    sid: account.sid,
    friendly_name: account.friendlyName,
    // The API has no status of its own for unverified accounts.
    status: account.status === 'unverified' ? 'suspended' : account.status,
    type: 'Full',
    owner_account_sid: account.sid,
    date_created: rfc2822(new Date(account.createdAt)),
    date_updated: rfc2822(new Date(account.updatedAt)),
    uri: `${path}.json`,
    subresource_uris: Object.fromEntries(
      SUBRESOURCES.map((name) => [snake(name), `${path}/${name}.json`]),
    ),
  }
}

function snake(name: string): string {
  const last = name.split('/').at(-1) ?? name
  return last === 'SIP' ? 'sip' : last.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase()
}
