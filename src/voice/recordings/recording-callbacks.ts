/** The callback parameters of a recording. Pure. */
import type { NewCallback } from '../../platform/outbox/callback.js'
import type { RecordingEvent } from '../model/recording-wish.js'
import { durationSeconds, type RecordingRecord } from './recording-record.js'

type WireParams = NewCallback['params']

/** The recording's URL without a suffix, so that the client can choose the format. */
export function recordingUrl(baseUrl: string, { accountSid, sid }: RecordingRecord): string {
  return `${baseUrl}/2010-04-01/Accounts/${accountSid}/Recordings/${sid}`
}

/** Recording parameters in the call's last callback and in requests to action URLs. */
export function recordingParams(baseUrl: string, recording: RecordingRecord): WireParams {
  return [
    ['RecordingUrl', recordingUrl(baseUrl, recording)],
    ['RecordingSid', recording.sid],
    ...duration(recording),
  ]
}

/** Returns the callback for this event; an empty list unless the customer has subscribed to it. */
export function recordingCallbacks(
  baseUrl: string,
  recording: RecordingRecord,
  event: RecordingEvent,
): readonly NewCallback[] {
  const { callback } = recording
  if (callback?.events.includes(event) !== true) return []
  return [
    {
      stream: recording.callSid,
      accountSid: recording.accountSid,
      kind: 'recording',
      url: callback.url,
      method: callback.method,
      params: [
        ['AccountSid', recording.accountSid],
        ['CallSid', recording.callSid],
        ...conference(recording),
        ['RecordingSid', recording.sid],
        ['RecordingUrl', recordingUrl(baseUrl, recording)],
        ['RecordingStatus', event],
        ...(event === 'completed' ? duration(recording) : []),
        ['RecordingChannels', recording.channels === 'dual' ? '2' : '1'],
        ['RecordingStartTime', rfc2822(recording.startedAt)],
        ['RecordingSource', recording.source],
        ['RecordingTrack', recording.track],
        ['ErrorCode', String(recording.errorCode ?? 0)],
      ],
    },
  ]
}

function conference({ conferenceSid }: RecordingRecord): WireParams {
  return conferenceSid === undefined ? [] : [['ConferenceSid', conferenceSid]]
}

function duration(recording: RecordingRecord): WireParams {
  const seconds = durationSeconds(recording)
  return seconds === undefined ? [] : [['RecordingDuration', String(seconds)]]
}

function rfc2822(epochMs: number): string {
  return new Date(epochMs).toUTCString().replace('GMT', '+0000')
}
