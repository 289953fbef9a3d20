/** The forms and the wire form of the Recordings resource. */
import { z } from '@hono/zod-openapi'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { durationSeconds, type RecordingRecord } from '../recordings/recording-record.js'
import {
  callbackUrl,
  type FieldErrors,
  flag,
  httpMethod,
  integer,
  listOf,
  MAX_INTEGER,
  oneOf,
} from './dialect/form.js'
import { priceText } from './dialect/price-text.js'

/** Form of POST /Calls/{CallSid}/Recordings; `PlayBeep` is accepted and ignored. */
export const startRecordingForm = z
  .object({
    RecordingMaxDuration: integer(0, MAX_INTEGER),
    RecordingChannels: oneOf(['mono', 'dual']),
    RecordingTrack: oneOf(['inbound', 'outbound', 'both']),
    Trim: oneOf(['trim-silence', 'do-not-trim']),
    PlayBeep: flag(),
    RecordingStatusCallback: callbackUrl(),
    RecordingStatusCallbackMethod: httpMethod(),
    RecordingStatusCallbackEvent: listOf(['in-progress', 'completed', 'absent']),
  })
  .openapi('StartRecording')

/** Form of POST /Calls/{CallSid}/Recordings/{Sid}; `PauseBehavior` matters with `paused` only. */
export const updateRecordingForm = z
  .object({
    Status: oneOf(['stopped', 'paused', 'in-progress']).nonoptional(),
    PauseBehavior: oneOf(['skip', 'silence']),
  })
  .openapi('UpdateRecording')

export const RECORDING_FIELD_ERRORS: FieldErrors = {
  RecordingStatusCallback: { invalid: 21609 },
  RecordingStatusCallbackMethod: { invalid: 21209 },
  Status: { invalid: 20422, missing: 20422 },
}

export const recordingResource = z
  .object({
    sid: z.string(),
    account_sid: z.string(),
    call_sid: z.string(),
    conference_sid: z.string().nullable(),
    api_version: z.string(),
    status: z.enum(['in-progress', 'paused', 'stopped', 'processing', 'completed', 'absent']),
    source: z.string(),
    channels: z.number(),
    track: z.string(),
    duration: z.string().nullable(),
    start_time: z.string(),
    price: z.string().nullable(),
    price_unit: z.string(),
    encryption_details: z.record(z.string(), z.string()).nullable(),
    error_code: z.number().nullable(),
    media_url: z.string(),
    date_created: z.string(),
    date_updated: z.string(),
    uri: z.string(),
    subresource_uris: z.record(z.string(), z.string()),
  })
  .openapi('Recording')

/** Returns the wire form of a recording; `url` is its media URL without a suffix. */
export function recordingToWire(
  recording: RecordingRecord,
  url: string,
): z.infer<typeof recordingResource> {
  const { accountSid, callSid, conferenceSid, sid } = recording
  const account = `/${API_VERSION}/Accounts/${accountSid}`
  return {
    sid,
    account_sid: accountSid,
    call_sid: callSid,
    conference_sid: conferenceSid ?? null,
    api_version: API_VERSION,
    status: recording.status,
    source: recording.source,
    channels: recording.channels === 'dual' ? 2 : 1,
    track: recording.track,
    duration: durationSeconds(recording)?.toString() ?? null,
    start_time: rfc2822(new Date(recording.startedAt)),
    price: priceText(recording.price),
    price_unit: 'USD',
    encryption_details: null,
    error_code: recording.errorCode ?? null,
    media_url: url,
    date_created: rfc2822(new Date(recording.createdAt)),
    date_updated: rfc2822(new Date(recording.updatedAt)),
    uri: `${account}/Recordings/${sid}.json`,
    // Add-ons are not supported.
    subresource_uris: { transcriptions: `${account}/Recordings/${sid}/Transcriptions.json` },
  }
}
