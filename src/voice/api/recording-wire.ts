/** A recording in the convention's names and formats. */
import type { z } from '@hono/zod-openapi'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import { durationSeconds, type RecordingRecord } from '../recordings/recording-record.js'
import type { recordingResource } from './recording-schemas.js'

/** `url`: where its media is, without a suffix. */
export function recordingToWire(
  recording: RecordingRecord,
  url: string,
): z.infer<typeof recordingResource> {
  const { accountSid, callSid, conferenceSid, sid } = recording
  const account = `/${API_VERSION}/Accounts/${accountSid}`
  const owner = conferenceSid === undefined ? `Calls/${callSid}` : `Conferences/${conferenceSid}`
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
    // Billing is the operator's.
    price: null,
    price_unit: 'USD',
    encryption_details: null,
    error_code: recording.errorCode ?? null,
    media_url: url,
    date_created: rfc2822(new Date(recording.createdAt)),
    date_updated: rfc2822(new Date(recording.updatedAt)),
    uri: `${account}/${owner}/Recordings/${sid}.json`,
    subresource_uris: {
      add_on_results: `${account}/Recordings/${sid}/AddOnResults.json`,
      transcriptions: `${account}/Recordings/${sid}/Transcriptions.json`,
    },
  }
}
