/** Reads the form by which an account changes its own settings. Pure. */
import { z } from '@hono/zod-openapi'
import type { AccountChange } from '../../accounts/accounts.js'
import type { AccountSettings } from '../../accounts/settings.js'
import type { FormFields } from '../../platform/api/read-body.js'
import { isRange } from '../../platform/cidr.js'
import { ApiError } from './dialect/errors.js'
import {
  type FieldErrors,
  httpMethod,
  httpUrl,
  optionalText,
  presentFields,
  textList,
} from './dialect/form.js'

const MAX_NAME_CHARS = 64
const MAX_CIDRS = 200
const ONE_LINE = /^[^\p{Cc}]*$/u

const line = () => optionalText(ONE_LINE, undefined, 1_024)

/**
 * The form of an account: a field that is present changes, an empty one is cleared, an absent one
 * stays.
 */
export const accountForm = z
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

export const ACCOUNT_FIELD_ERRORS: FieldErrors = {
  FriendlyName: { invalid: 20002 },
  VoiceUrl: { invalid: 21402 },
  VoiceMethod: { invalid: 21403 },
  VoiceFallbackUrl: { invalid: 21402 },
  VoiceFallbackMethod: { invalid: 21403 },
  SttHttpUrl: { invalid: 21402 },
  TtsHttpUrl: { invalid: 21402 },
}

export function accountChangeOf(
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
