/** The Transcriptions resource of an account and of a recording: operations and wire form. */
import { z } from '@hono/zod-openapi'
import type { ListPage } from '../../platform/api/list-operation.js'
import { API_VERSION, rfc2822 } from '../model/callback-params.js'
import type { Recordings } from '../recordings/recordings.js'
import type { Transcription } from '../transcriptions/tables.js'
import type { Transcriptions } from '../transcriptions/transcriptions.js'
import { readTimeRange } from './dialect/date-filter.js'
import { queryText } from './dialect/form.js'
import { list, operation, said, sid, type VoiceOperation } from './dialect/operation.js'
import { priceText } from './dialect/price-text.js'
import { positionOf } from './dialect/voice-paging.js'

const OF_ACCOUNT = '/Accounts/{AccountSid}/Transcriptions'
const OF_RECORDING = '/Accounts/{AccountSid}/Recordings/{RecordingSid}/Transcriptions'
const params = { Sid: sid('TR', 'transcription'), RecordingSid: sid('RE', 'recording') }

const listQuery = z.object({
  DateCreated: queryText('Only transcriptions made on this day, or in this second.'),
  'DateCreated<': queryText('Only transcriptions made before.'),
  'DateCreated>': queryText('Only transcriptions made after.'),
})

const transcriptionResource = z
  .object({
    sid: said('The sid of the transcription: TR and 32 hex digits.'),
    account_sid: said('The sid of the account.'),
    recording_sid: said('The sid of the recording.'),
    status: z
      .enum(['in-progress', 'completed', 'failed'])
      .openapi({ description: 'Whether the text is there.' }),
    duration: said('The length of the transcribed sound in seconds.').nullable(),
    transcription_text: said('What was said.').nullable(),
    type: z.literal('fast').openapi({ description: 'Always the same.' }),
    price: said('What it cost, negative, in dollars; null without a rate.').nullable(),
    price_unit: said('Always USD.'),
    api_version: said('The version of the API.'),
    uri: said('Its path.'),
    date_created: said('When it was begun, as in RFC 2822.'),
    date_updated: said('When it changed last, as in RFC 2822.'),
  })
  .openapi('Transcription')

interface TranscriptionDeps {
  readonly transcriptions: Transcriptions
  readonly recordings: Pick<Recordings, 'fetch'>
}

export function transcriptionOperations(deps: TranscriptionDeps): VoiceOperation[] {
  return [...transcriptionsOfAccount(deps.transcriptions), ...transcriptionsOfRecording(deps)]
}

function transcriptionsOfAccount(transcriptions: Transcriptions): VoiceOperation[] {
  const one = `${OF_ACCOUNT}/{Sid}` as const
  return [
    list({
      id: 'listTranscriptions',
      summary: 'List transcriptions, the newest first',
      path: OF_ACCOUNT,
      name: 'transcriptions',
      record: transcriptionResource,
      query: listQuery,
      run: async ({ caller, http }, page) =>
        found(transcriptions, { accountSid: caller.sid }, http.search, page),
    }),
    operation({
      id: 'fetchTranscription',
      summary: 'Get a transcription',
      method: 'get',
      path: one,
      params,
      response: transcriptionResource,
      errors: [404],
      run: async ({ caller, params: { Sid } }) =>
        transcriptionToWire(await transcriptions.fetch(caller.sid, Sid)),
    }),
    operation({
      id: 'deleteTranscription',
      summary: 'Delete a transcription',
      method: 'delete',
      path: one,
      params,
      errors: [404],
      run: ({ caller, params: { Sid } }) => transcriptions.remove(caller.sid, Sid),
    }),
  ]
}

function transcriptionsOfRecording({
  transcriptions,
  recordings,
}: TranscriptionDeps): VoiceOperation[] {
  const one = `${OF_RECORDING}/{Sid}` as const
  return [
    list({
      id: 'listRecordingTranscriptions',
      summary: 'List the transcriptions of a recording, the newest first',
      path: OF_RECORDING,
      name: 'transcriptions',
      record: transcriptionResource,
      params,
      query: listQuery,
      errors: [404],
      run: async ({ caller, params: { RecordingSid }, http }, page) => {
        const { sid: recordingSid } = await recordings.fetch(caller.sid, RecordingSid)
        const where = { accountSid: caller.sid, recordingSid }
        return found(transcriptions, where, http.search, page)
      },
    }),
    operation({
      id: 'fetchRecordingTranscription',
      summary: 'Get a transcription of a recording',
      method: 'get',
      path: one,
      params,
      response: transcriptionResource,
      errors: [404],
      run: async ({ caller, params: { RecordingSid, Sid } }) =>
        transcriptionToWire(await transcriptions.fetch(caller.sid, Sid, RecordingSid)),
    }),
    operation({
      id: 'deleteRecordingTranscription',
      summary: 'Delete a transcription of a recording',
      method: 'delete',
      path: one,
      params,
      errors: [404],
      run: ({ caller, params: { RecordingSid, Sid } }) =>
        transcriptions.remove(caller.sid, Sid, RecordingSid),
    }),
  ]
}

interface Where {
  readonly accountSid: string
  readonly recordingSid?: string
}

async function found(
  transcriptions: Transcriptions,
  { accountSid, recordingSid }: Where,
  search: URLSearchParams,
  page: ListPage,
) {
  const { from, before } = readTimeRange(search, 'DateCreated')
  const filter = { recordingSid, createdFrom: from, createdBefore: before }
  const listed = await transcriptions.list(accountSid, filter, page)
  const place = recordingSid === undefined ? '' : `/Recordings/${recordingSid}`
  return {
    ...listed,
    items: listed.items.map(transcriptionToWire),
    first: positionOf(listed.items[0]),
    path: `/${API_VERSION}/Accounts/${accountSid}${place}/Transcriptions`,
  }
}

function transcriptionToWire(made: Transcription): z.infer<typeof transcriptionResource> {
  const { sid: name, accountSid, durationMs } = made
  return {
    sid: name,
    account_sid: accountSid,
    recording_sid: made.recordingSid,
    status: made.status,
    duration: durationMs === undefined ? null : String(Math.round(durationMs / 1_000)),
    transcription_text: made.text ?? null,
    type: 'fast',
    price: priceText(made.price),
    price_unit: 'USD',
    api_version: API_VERSION,
    uri: `/${API_VERSION}/Accounts/${accountSid}/Transcriptions/${name}.json`,
    date_created: rfc2822(new Date(made.createdAt)),
    date_updated: rfc2822(new Date(made.updatedAt)),
  }
}
