/** The Applications resource: forms, operations and wire form. */

import { z } from '@hono/zod-openapi'
import type { FormFields } from '../../platform/api/read-body.js'
import type { Logger } from '../../platform/log.js'
import { shownUrl } from '../../platform/url-passwords.js'
import type { Application, ApplicationChange, Applications } from '../applications/applications.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import {
  type FieldErrors,
  flag,
  httpMethod,
  httpUrl,
  listOf,
  optionalText,
  presentFields,
  queryText,
  SMS_URL_ERRORS,
  VOICE_URL_ERRORS,
} from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { positionOf } from './dialect/voice-paging.js'

const APPLICATIONS = '/Accounts/{AccountSid}/Applications'
const APPLICATION = `${APPLICATIONS}/{Sid}`
const params = { Sid: sid('AP', 'application') }

const MAX_NAME_CHARS = 64
const ONE_LINE = /^[^\p{Cc}]*$/u
const STATUS_EVENTS = ['initiated', 'ringing', 'answered', 'completed'] as const

const fields = {
  FriendlyName: optionalText(ONE_LINE, 'must be one line', MAX_NAME_CHARS),
  VoiceUrl: httpUrl(),
  VoiceMethod: httpMethod(),
  VoiceFallbackUrl: httpUrl(),
  VoiceFallbackMethod: httpMethod(),
  VoiceCallerIdLookup: flag(),
  StatusCallback: httpUrl(),
  StatusCallbackMethod: httpMethod(),
  StatusCallbackEvent: listOf(STATUS_EVENTS),
  MessageStatusCallback: httpUrl(),
  SmsStatusCallback: httpUrl(),
  SmsUrl: httpUrl(),
  SmsMethod: httpMethod(),
  SmsFallbackUrl: httpUrl(),
  SmsFallbackMethod: httpMethod(),
}

/** Fields that are accepted and ignored: only the owning account can dial an application. */
const withoutEffect = { PublicApplicationConnectEnabled: optionalText() }

const createForm = z.object({ ...fields, ...withoutEffect }).openapi('CreateApplication')
const updateForm = z.object({ ...fields, ...withoutEffect }).openapi('UpdateApplication')

const fieldErrors: FieldErrors = {
  FriendlyName: { invalid: 20002 },
  ...VOICE_URL_ERRORS,
  StatusCallback: { invalid: 21402 },
  StatusCallbackMethod: { invalid: 21403 },
  MessageStatusCallback: { invalid: 21402 },
  SmsStatusCallback: { invalid: 21402 },
  ...SMS_URL_ERRORS,
}

const method = (of: string) =>
  z.enum(['GET', 'POST']).openapi({ description: `The method of ${of}.` })
const url = (description: string) => said(description).nullable()

const applicationResource = z
  .object({
    sid: said('The sid of the application: AP and 32 hex digits.'),
    account_sid: said('The sid of its account.'),
    friendly_name: said('A name for people; empty when it has none.'),
    api_version: said('The version of the API that its webhooks follow.'),
    voice_url: url('The URL that is asked for a document when a call comes.'),
    voice_method: method('voice_url'),
    voice_fallback_url: url('The URL that is asked when voice_url fails.'),
    voice_fallback_method: method('voice_fallback_url'),
    voice_caller_id_lookup: z
      .boolean()
      .openapi({ description: "Whether the caller's name is wanted." }),
    status_callback: url('The URL that is told of the states of a call.'),
    status_callback_method: method('status_callback'),
    status_callback_event: url('The states that it is told of, with commas between them.'),
    message_status_callback: url('The URL that delivery receipts of messages go to.'),
    sms_status_callback: url('The same as message_status_callback.'),
    sms_url: url('The URL that is told of a message that comes in.'),
    sms_method: method('sms_url'),
    sms_fallback_url: url('The URL that is told when sms_url fails.'),
    sms_fallback_method: method('sms_fallback_url'),
    public_application_connect_enabled: z
      .literal(false)
      .openapi({ description: 'Always false: only its own account can dial an application.' }),
    date_created: said('When it was made, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
    uri: said('Its path.'),
  })
  .openapi('Application')

export interface ApplicationDeps {
  readonly applications: Applications
  readonly log: Logger
}

export function applicationOperations(deps: ApplicationDeps): VoiceOperation[] {
  return [...applicationsOfAccount(deps), ...oneApplication(deps)]
}

function warnOfPublicAccess(
  { PublicApplicationConnectEnabled: wanted }: z.infer<typeof createForm>,
  { sid: applicationSid, accountSid }: Application,
  log: Logger,
): void {
  if (wanted?.toLowerCase() !== 'true') return
  const warning = 'PublicApplicationConnectEnabled has no effect: other accounts cannot dial it'
  log.warn({ accountSid, applicationSid }, warning)
}

function applicationsOfAccount({ applications, log }: ApplicationDeps): VoiceOperation[] {
  return [
    operation({
      id: 'createApplication',
      summary: 'Create an application: webhooks that numbers and calls name by its sid',
      method: 'post',
      path: APPLICATIONS,
      body: createForm,
      fieldErrors,
      status: 201,
      response: applicationResource,
      run: async ({ caller, body, given }) => {
        const change = changeOf(body, given as FormFields) // the schema accepts only forms
        const made = await applications.create(caller.sid, change)
        warnOfPublicAccess(body, made, log)
        return applicationToWire(made)
      },
    }),
    list({
      id: 'listApplications',
      summary: 'List applications, the newest first',
      path: APPLICATIONS,
      name: 'applications',
      record: applicationResource,
      query: z.object({ FriendlyName: queryText('Only applications of exactly this name.') }),
      run: async ({ caller, query }, page) => {
        const name = query.FriendlyName === '' ? undefined : query.FriendlyName
        const found = await applications.list(caller.sid, name, page)
        return {
          ...found,
          items: found.items.map(applicationToWire),
          first: positionOf(found.items[0]),
          path: `/${API_VERSION}/Accounts/${caller.sid}/Applications`,
        }
      },
    }),
  ]
}

function oneApplication({ applications, log }: ApplicationDeps): VoiceOperation[] {
  return [
    operation({
      id: 'fetchApplication',
      summary: 'Get an application',
      method: 'get',
      path: APPLICATION,
      params,
      response: applicationResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        applicationToWire(await applications.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'updateApplication',
      summary: 'Change an application: present fields change, empty ones are cleared',
      method: 'post',
      path: APPLICATION,
      params,
      body: updateForm,
      fieldErrors,
      response: applicationResource,
      errors: [404],
      run: async ({ caller, params: { Sid }, body, given }) => {
        const change = changeOf(body, given as FormFields) // the schema accepts only forms
        const changed = await applications.update(caller.sid, Sid, change)
        warnOfPublicAccess(body, changed, log)
        return applicationToWire(changed)
      },
    }),
    operation({
      id: 'deleteApplication',
      summary: 'Delete an application, and take it from the numbers that name it',
      method: 'delete',
      path: APPLICATION,
      params,
      errors: [404],
      run: ({ caller, params: { Sid } }) => applications.remove(caller.sid, Sid),
    }),
  ]
}

function changeOf(form: z.infer<typeof createForm>, given: FormFields): ApplicationChange {
  return {
    // Falls back to the older name of the receipt URL.
    ...presentFields(form, given, { messageStatusCallback: 'SmsStatusCallback' }),
    ...presentFields(form, given, {
      friendlyName: 'FriendlyName',
      voiceUrl: 'VoiceUrl',
      voiceMethod: 'VoiceMethod',
      voiceFallbackUrl: 'VoiceFallbackUrl',
      voiceFallbackMethod: 'VoiceFallbackMethod',
      voiceCallerIdLookup: 'VoiceCallerIdLookup',
      statusCallback: 'StatusCallback',
      statusCallbackMethod: 'StatusCallbackMethod',
      statusCallbackEvents: 'StatusCallbackEvent',
      messageStatusCallback: 'MessageStatusCallback',
      smsUrl: 'SmsUrl',
      smsMethod: 'SmsMethod',
      smsFallbackUrl: 'SmsFallbackUrl',
      smsFallbackMethod: 'SmsFallbackMethod',
    }),
  }
}

function applicationToWire(application: Application): z.infer<typeof applicationResource> {
  const { sid: own, accountSid, statusCallbackEvents: events } = application
  return {
    sid: own,
    account_sid: accountSid,
    friendly_name: application.friendlyName,
    api_version: API_VERSION,
    voice_url: shownUrl(application.voiceUrl),
    voice_method: application.voiceMethod,
    voice_fallback_url: shownUrl(application.voiceFallbackUrl),
    voice_fallback_method: application.voiceFallbackMethod,
    voice_caller_id_lookup: application.voiceCallerIdLookup,
    status_callback: shownUrl(application.statusCallback),
    status_callback_method: application.statusCallbackMethod,
    status_callback_event: events.length === 0 ? null : events.join(','),
    message_status_callback: shownUrl(application.messageStatusCallback),
    sms_status_callback: shownUrl(application.messageStatusCallback),
    sms_url: shownUrl(application.smsUrl),
    sms_method: application.smsMethod,
    sms_fallback_url: shownUrl(application.smsFallbackUrl),
    sms_fallback_method: application.smsFallbackMethod,
    public_application_connect_enabled: false,
    date_created: rfc2822(new Date(application.createdAt)),
    date_updated: rfc2822(new Date(application.updatedAt)),
    uri: `/${API_VERSION}/Accounts/${accountSid}/Applications/${own}.json`,
  }
}
