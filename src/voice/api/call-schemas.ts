import { z } from '@hono/zod-openapi'
import { DETECTION_ERROR, DETECTION_MODES, DETECTION_RANGES } from '../amd/detection-plan.js'
import {
  callbackUrl,
  type FieldErrors,
  flag,
  httpMethod,
  httpUrl,
  ignoredText,
  integer,
  listOf,
  MAX_INTEGER,
  oneOf,
  optionalText,
  text,
} from './dialect/form.js'

const STATUS_EVENTS = ['initiated', 'ringing', 'answered', 'completed'] as const
const PRINTABLE = /^[^\p{Cc}]*$/u
/** Maximum ringing time, s; a longer `Timeout` is reduced to it. */
const MAX_TIMEOUT_SECONDS = 600
const DAY_SECONDS = 86_400

/** Document and status callback fields of both the create and the update form. */
const documentAndCallback = {
  Url: httpUrl(),
  Markup: optionalText(),
  Twiml: optionalText(),
  Method: httpMethod(),
  FallbackUrl: httpUrl(),
  FallbackMethod: httpMethod(),
  StatusCallback: callbackUrl(),
  StatusCallbackMethod: httpMethod(),
  StatusCallbackEvent: listOf(STATUS_EVENTS),
  TimeLimit: integer(1, DAY_SECONDS),
}

const tuning = (name: keyof typeof DETECTION_RANGES) =>
  integer(DETECTION_RANGES[name].min, DETECTION_RANGES[name].max)

const machineDetection = {
  MachineDetection: oneOf(DETECTION_MODES),
  MachineDetectionTimeout: tuning('timeoutSeconds'),
  MachineDetectionSpeechThreshold: tuning('speechThresholdMs'),
  MachineDetectionSpeechEndThreshold: tuning('speechEndThresholdMs'),
  MachineDetectionSilenceTimeout: tuning('silenceTimeoutMs'),
  MachineDetectionCorrectionWindow: tuning('correctionWindowMs'),
  AsyncAmd: flag(),
  AsyncAmdStatusCallback: callbackUrl(),
  AsyncAmdStatusCallbackMethod: httpMethod(),
}

/** Recording fields that `POST /Participants` obeys and `POST /Calls` ignores. */
export const RECORDED_AS = {
  RecordingTrack: oneOf(['inbound', 'outbound', 'both']),
  Trim: oneOf(['trim-silence', 'do-not-trim']),
}

const recording = {
  Record: flag(),
  RecordingStatusCallback: callbackUrl(),
  RecordingStatusCallbackMethod: httpMethod(),
  RecordingStatusCallbackEvent: listOf(['in-progress', 'completed', 'absent']),
  RecordingChannels: oneOf(['mono', 'dual']),
}

/** Form of POST /Calls. Client libraries send `Twiml` for `Markup`. */
export const createCallForm = z
  .object({
    To: text().pipe(z.string().min(1)),
    From: text().pipe(z.string().min(1)),
    ...documentAndCallback,
    ApplicationSid: optionalText(),
    ...machineDetection,
    ...recording,
    RecordingTrack: optionalText(),
    Trim: optionalText(),
    Timeout: integer(1, MAX_INTEGER).transform((seconds) =>
      seconds === undefined ? undefined : Math.min(seconds, MAX_TIMEOUT_SECONDS),
    ),
    SendDigits: optionalText(/^[0-9A-Da-dwW*#]{1,32}$/, 'at most 32 of 0-9 A-D * # w W'),
    CallReason: optionalText(PRINTABLE),
    SipAuthUsername: optionalText(/^[^\p{Cc}"\\:@]*$/u, undefined, 128),
    SipAuthPassword: optionalText(PRINTABLE, undefined, 128),
    CallerId: ignoredText(),
    Byoc: ignoredText(),
    CallToken: ignoredText(),
  })
  .openapi('CreateCall')

/** Form of POST /Calls/{Sid}. `Status` wins over a document, `Markup` over `Url`. */
export const updateCallForm = z
  .object({
    Status: oneOf(['completed', 'canceled']),
    ...documentAndCallback,
  })
  .openapi('UpdateCall')

export const CALL_FIELD_ERRORS: FieldErrors = {
  To: { invalid: 21211, missing: 21201 },
  From: { invalid: 21212, missing: 21213 },
  Url: { invalid: 21205 },
  FallbackUrl: { invalid: 21205 },
  Markup: { invalid: 12100, tooLong: 32018 },
  Twiml: { invalid: 12100, tooLong: 32018 },
  Method: { invalid: 21209 },
  FallbackMethod: { invalid: 21209 },
  StatusCallback: { invalid: 21609 },
  StatusCallbackMethod: { invalid: 21209 },
  SendDigits: { invalid: 21206 },
  Timeout: { invalid: 21208 },
  MachineDetection: { invalid: DETECTION_ERROR },
  MachineDetectionTimeout: { invalid: DETECTION_ERROR },
  MachineDetectionSpeechThreshold: { invalid: DETECTION_ERROR },
  MachineDetectionSpeechEndThreshold: { invalid: DETECTION_ERROR },
  MachineDetectionSilenceTimeout: { invalid: DETECTION_ERROR },
  MachineDetectionCorrectionWindow: { invalid: DETECTION_ERROR },
  AsyncAmdStatusCallback: { invalid: 21609 },
  AsyncAmdStatusCallbackMethod: { invalid: 21209 },
  RecordingStatusCallback: { invalid: 21609 },
  RecordingStatusCallbackMethod: { invalid: 21209 },
  SipAuthUsername: { invalid: 21223, tooLong: 21221 },
  SipAuthPassword: { invalid: 21224, tooLong: 21222 },
}

export const callResource = z
  .object({
    sid: z.string(),
    account_sid: z.string(),
    api_version: z.string(),
    to: z.string(),
    to_formatted: z.string(),
    from: z.string(),
    from_formatted: z.string(),
    parent_call_sid: z.string().nullable(),
    caller_name: z.string().nullable(),
    forwarded_from: z.string().nullable(),
    status: z.enum([
      'queued',
      'ringing',
      'in-progress',
      'completed',
      'busy',
      'failed',
      'no-answer',
      'canceled',
    ]),
    direction: z.enum(['inbound', 'outbound-api', 'outbound-dial']),
    answered_by: z.string().nullable(),
    start_time: z.string().nullable(),
    end_time: z.string().nullable(),
    duration: z.string().nullable(),
    price: z.string().nullable(),
    price_unit: z.string(),
    phone_number_sid: z.string().nullable(),
    annotation: z.string().nullable(),
    group_sid: z.string().nullable(),
    queue_time: z.string(),
    trunk_sid: z.string().nullable(),
    date_created: z.string(),
    date_updated: z.string(),
    uri: z.string(),
    subresource_uris: z.record(z.string(), z.string()),
  })
  .openapi('Call')
