/** The forms and the wire form of the Participants resource. */
import { z } from '@hono/zod-openapi'
import { isWebUrl } from '../../platform/http/web-url.js'
import { isPlainText } from '../../platform/text.js'
import { CALL_FIELD_ERRORS, createCallForm, RECORDED_AS } from './call-schemas.js'
import {
  callbackUrl,
  type FieldErrors,
  flag,
  httpMethod,
  httpUrl,
  integer,
  listOf,
  oneOf,
  optionalSid,
  optionalText,
  text,
} from './dialect/form.js'

/** The URL of a sound; empty means silence. */
const soundUrl = () =>
  text()
    .pipe(
      z
        .string()
        .max(4_000)
        .refine((value) => value === '' || (isPlainText(value) && isWebUrl(value)), {
          message: 'must be an absolute http or https URL, or empty',
        }),
    )
    .optional()

const CONFERENCE_EVENTS = [
  ...(['start', 'end', 'join', 'leave', 'mute', 'hold'] as const),
  ...(['modify', 'speaker', 'announcement'] as const),
] as const
const RECORDING_EVENTS = ['in-progress', 'completed', 'absent'] as const

/**
 * Form of POST /Conferences/{Sid}/Participants: a call and its conference settings. `EarlyMedia`,
 * `Region` and `JitterBufferSize` are accepted and ignored.
 */
export const createParticipantForm = createCallForm
  .pick({
    To: true,
    From: true,
    Timeout: true,
    TimeLimit: true,
    CallReason: true,
    CallerId: true,
    StatusCallback: true,
    StatusCallbackMethod: true,
    StatusCallbackEvent: true,
    MachineDetection: true,
    MachineDetectionTimeout: true,
    MachineDetectionSpeechThreshold: true,
    MachineDetectionSpeechEndThreshold: true,
    MachineDetectionSilenceTimeout: true,
    MachineDetectionCorrectionWindow: true,
    Record: true,
    RecordingChannels: true,
    RecordingStatusCallback: true,
    RecordingStatusCallbackMethod: true,
    RecordingStatusCallbackEvent: true,
    SipAuthUsername: true,
    SipAuthPassword: true,
    Byoc: true,
    CallToken: true,
  })
  .extend({
    ...RECORDED_AS,
    Label: optionalText(/^(?!CA[0-9a-fA-F]{32}$)[^/\p{Cc}\ufffe\uffff]{1,128}$/u, 'is not a label'),
    Muted: flag(),
    Beep: oneOf(['true', 'false', 'onEnter', 'onExit']),
    StartConferenceOnEnter: flag(),
    EndConferenceOnExit: flag(),
    Coaching: flag(),
    CallSidToCoach: optionalSid('CA'),
    WaitUrl: soundUrl(),
    WaitMethod: httpMethod(),
    MaxParticipants: integer(2, 250),
    ConferenceStatusCallback: callbackUrl(),
    ConferenceStatusCallbackMethod: httpMethod(),
    ConferenceStatusCallbackEvent: listOf(CONFERENCE_EVENTS),
    ConferenceRecord: oneOf(['true', 'false', 'record-from-start', 'do-not-record']),
    ConferenceTrim: oneOf(['trim-silence', 'do-not-trim']),
    ConferenceRecordingStatusCallback: callbackUrl(),
    ConferenceRecordingStatusCallbackMethod: httpMethod(),
    ConferenceRecordingStatusCallbackEvent: listOf(RECORDING_EVENTS),
    AmdStatusCallback: callbackUrl(),
    AmdStatusCallbackMethod: httpMethod(),
    EarlyMedia: flag(),
    Region: oneOf(['us1', 'us2', 'ie1', 'de1', 'sg1', 'br1', 'au1', 'jp1']),
    JitterBufferSize: oneOf(['off', 'small', 'medium', 'large']),
  })
  .openapi('CreateParticipant')

/** Form of POST /Conferences/{Sid}/Participants/{CallSid}. */
export const updateParticipantForm = z
  .object({
    Muted: flag(),
    Hold: flag(),
    HoldUrl: soundUrl(),
    HoldMethod: httpMethod(),
    WaitUrl: soundUrl(),
    WaitMethod: httpMethod(),
    AnnounceUrl: httpUrl(),
    AnnounceMethod: httpMethod(),
    BeepOnExit: flag(),
    EndConferenceOnExit: flag(),
    Coaching: flag(),
    CallSidToCoach: optionalSid('CA'),
  })
  .openapi('UpdateParticipant')

export const PARTICIPANT_FIELD_ERRORS: FieldErrors = {
  ...CALL_FIELD_ERRORS,
  Label: { invalid: 16023 },
  ConferenceStatusCallback: { invalid: 21609 },
  ConferenceStatusCallbackMethod: { invalid: 21209 },
  ConferenceRecordingStatusCallback: { invalid: 21609 },
  ConferenceRecordingStatusCallbackMethod: { invalid: 21209 },
  AmdStatusCallback: { invalid: 21609 },
  AmdStatusCallbackMethod: { invalid: 21209 },
  HoldUrl: { invalid: 21402 },
  HoldMethod: { invalid: 21403 },
  WaitUrl: { invalid: 21402 },
  WaitMethod: { invalid: 21403 },
  AnnounceUrl: { invalid: 21402 },
  AnnounceMethod: { invalid: 21403 },
  CallSidToCoach: { invalid: 13240 },
}

export const participantResource = z
  .object({
    account_sid: z.string(),
    call_sid: z.string(),
    conference_sid: z.string(),
    label: z.string().nullable(),
    status: z.enum(['queued', 'connecting', 'ringing', 'connected', 'complete', 'failed']),
    muted: z.boolean(),
    hold: z.boolean(),
    coaching: z.boolean(),
    call_sid_to_coach: z.string().nullable(),
    start_conference_on_enter: z.boolean(),
    end_conference_on_exit: z.boolean(),
    queue_time: z.string().nullable(),
    date_created: z.string(),
    date_updated: z.string(),
    uri: z.string(),
  })
  .openapi('Participant')
