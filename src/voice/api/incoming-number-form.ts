/** Forms that claim and configure a number. Pure. */
import { z } from '@hono/zod-openapi'
import type { FormFields } from '../../platform/api/read-body.js'
import { lastOf } from '../../platform/api/repeated.js'
import type { BindingChange } from '../applications/binding.js'
import type { ClaimedNumber } from '../applications/number-bindings.js'
import { ApiError } from './dialect/errors.js'
import {
  type FieldErrors,
  flag,
  httpMethod,
  httpUrl,
  oneOf,
  optionalSid,
  optionalText,
  presentFields,
  SMS_URL_ERRORS,
  VOICE_URL_ERRORS,
} from './dialect/form.js'

const MAX_NAME_CHARS = 64
const ONE_LINE = /^[^\p{Cc}]*$/u
export const E164 = /^[+][1-9][0-9]{1,14}$/

const bindingFields = {
  FriendlyName: optionalText(ONE_LINE, 'must be one line', MAX_NAME_CHARS),
  VoiceUrl: httpUrl(),
  VoiceMethod: httpMethod(),
  VoiceFallbackUrl: httpUrl(),
  VoiceFallbackMethod: httpMethod(),
  VoiceApplicationSid: optionalSid('AP'),
  VoiceCallerIdLookup: flag(),
  VoiceReceiveMode: oneOf(['voice', 'fax']),
  StatusCallback: httpUrl(),
  StatusCallbackMethod: httpMethod(),
  SmsUrl: httpUrl(),
  SmsMethod: httpMethod(),
  SmsFallbackUrl: httpUrl(),
  SmsFallbackMethod: httpMethod(),
  SmsApplicationSid: optionalSid('AP'),
}

export const claimForm = z
  .object({
    // In a form, a bare plus sign arrives as a space.
    PhoneNumber: z.preprocess((value) => {
      const single = lastOf(value)
      return typeof single === 'string' ? single.replace(/^ /, '+') || undefined : single
    }, z.string().regex(E164, 'must be + and the digits of an E.164 number').optional()),
    AreaCode: optionalText(/^[2-9][0-9]{2}$/, 'must be three digits'),
    ...bindingFields,
  })
  .openapi('CreateIncomingPhoneNumber')

export const updateNumberForm = z
  .object({
    ...bindingFields,
    AccountSid: optionalSid('AC'),
  })
  .openapi('UpdateIncomingPhoneNumber')

export const NUMBER_FIELD_ERRORS: FieldErrors = {
  PhoneNumber: { invalid: 21421 },
  AreaCode: { invalid: 21451 },
  FriendlyName: { invalid: 20002 },
  ...VOICE_URL_ERRORS,
  VoiceApplicationSid: { invalid: 21420 },
  StatusCallback: { invalid: 21402 },
  StatusCallbackMethod: { invalid: 21403 },
  ...SMS_URL_ERRORS,
  SmsApplicationSid: { invalid: 21420 },
}

type BindingForm = Omit<z.infer<typeof updateNumberForm>, 'AccountSid'>

/** Returns the changes for the fields that the form contains; an empty field is cleared. */
export function bindingChangeOf(form: BindingForm, given: FormFields): BindingChange {
  return presentFields(form, given, {
    voiceUrl: 'VoiceUrl',
    voiceMethod: 'VoiceMethod',
    voiceFallbackUrl: 'VoiceFallbackUrl',
    voiceFallbackMethod: 'VoiceFallbackMethod',
    voiceApplicationSid: 'VoiceApplicationSid',
    voiceCallerIdLookup: 'VoiceCallerIdLookup',
    voiceReceiveMode: 'VoiceReceiveMode',
    statusCallback: 'StatusCallback',
    statusCallbackMethod: 'StatusCallbackMethod',
    smsUrl: 'SmsUrl',
    smsMethod: 'SmsMethod',
    smsFallbackUrl: 'SmsFallbackUrl',
    smsFallbackMethod: 'SmsFallbackMethod',
    smsApplicationSid: 'SmsApplicationSid',
  })
}

/** Returns the number or area code to claim; the number wins. */
export function claimedNumberOf(form: z.infer<typeof claimForm>): ClaimedNumber {
  const { PhoneNumber: e164, AreaCode: areaCode } = form
  if (e164 !== undefined) return { e164 }
  if (areaCode !== undefined) return { areaCode }
  throw new ApiError(400, 21421, "Required parameter 'PhoneNumber' is missing")
}

/** Refuses a move to another account: the number must be released and claimed again. */
export function checkSameAccount(wanted: string | undefined, own: string): void {
  if (wanted === undefined || wanted.toLowerCase() === own.toLowerCase()) return
  throw new ApiError(400, 20422, "'AccountSid' is not valid: a number cannot move to an account")
}
