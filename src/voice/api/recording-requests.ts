/** Reads what requests about recordings ask for. */
import { z } from '@hono/zod-openapi'
import type { ApiRequest } from '../../platform/api/api-request.js'
import type { ListPage } from '../../platform/api/list-operation.js'
import { parseSid } from '../../platform/ids.js'
import { API_VERSION } from '../model/callback-params.js'
import type { RecordingWish } from '../model/recording-wish.js'
import type { RecordingFilter } from '../recordings/list-recordings.js'
import type { RecorderEvent } from '../recordings/recording-machine.js'
import type { Recordings } from '../recordings/recordings.js'
import { readTimeRange } from './dialect/date-filter.js'
import { ApiError } from './dialect/errors.js'
import { queryText } from './dialect/form.js'
import { positionOf } from './dialect/voice-paging.js'
import { show } from './recording-media.js'
import type { startRecordingForm, updateRecordingForm } from './recording-schemas.js'

/** The filters of every list of recordings. */
export const listQuery = z.object({
  DateCreated: queryText('Only recordings made on this day, or in this second.'),
  'DateCreated<': queryText('Only recordings made before.'),
  'DateCreated>': queryText('Only recordings made after.'),
})

interface Where {
  readonly account: string
  /** The path of the resource below the account. */
  readonly path: string
}

/** A page of the recordings below a path. */
export async function found(
  recordings: Recordings,
  { account, path }: Where,
  filter: RecordingFilter,
  page: ListPage,
  { search }: ApiRequest,
) {
  const created = readTimeRange(search, 'DateCreated')
  const wanted = { ...filter, createdFrom: created.from, createdBefore: created.before }
  const listed = await recordings.list(account, wanted, page)
  return {
    ...listed,
    items: listed.items.map((each) => show(recordings, each)),
    first: positionOf(listed.items[0]),
    path: `/${API_VERSION}/Accounts/${account}${path}`,
  }
}

export function wantedOf(form: z.infer<typeof startRecordingForm>): RecordingWish {
  const { RecordingStatusCallback: url, RecordingMaxDuration: seconds = 0 } = form
  const events = form.RecordingStatusCallbackEvent ?? []
  return {
    source: 'StartCallRecordingAPI',
    channels: form.RecordingChannels ?? 'mono',
    track: form.RecordingTrack ?? 'both',
    trim: form.Trim ?? 'do-not-trim',
    maxMs: seconds === 0 ? undefined : 1_000 * seconds,
    callback:
      url === undefined
        ? undefined
        : {
            url,
            method: form.RecordingStatusCallbackMethod ?? 'POST',
            events: events.length === 0 ? ['completed'] : events,
          },
  }
}

export function eventOf(form: z.infer<typeof updateRecordingForm>): RecorderEvent {
  if (form.Status === 'paused') return { type: 'pause', behavior: form.PauseBehavior ?? 'silence' }
  return { type: form.Status === 'stopped' ? 'stop' : 'resume' }
}

export function sidFilter(
  name: string,
  value: string | undefined,
  prefix: string,
): string | undefined {
  if (value === undefined || value === '') return undefined
  const sid = parseSid(prefix, value)
  if (sid !== undefined) return sid
  throw new ApiError(400, 20422, `'${name}' is not valid: must be ${prefix} and 32 hex digits`)
}
