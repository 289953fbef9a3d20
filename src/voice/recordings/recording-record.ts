import { jsonAtRest } from '../../platform/database/at-rest.js'
import { columnsOf, type Fields, fieldsOf } from '../../platform/database/fields.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { RecordingCallback, RecordingWish } from '../model/recording-wish.js'
import type { RecordingsTable } from './tables.js'

/** Error numbers of an absent recording: no audio, or only silence. */
export const TOO_SHORT = 16101
export const SILENT = 16102

export type RecordingStatus =
  | 'in-progress'
  | 'paused'
  | 'stopped'
  | 'processing'
  | 'completed'
  | 'absent'

/** Statuses of a recording that has not ended. */
export const UNFINISHED_RECORDING: readonly RecordingStatus[] = [
  'in-progress',
  'paused',
  'stopped',
  'processing',
]

/** A stored recording; times are epoch milliseconds. */
export type RecordingRecord = Fields<
  Selectable<RecordingsTable>,
  Pick<RecordingWish, 'channels' | 'callback'>
>

/** Sid of the recorded conference or call. */
export const ownerOf = ({ conferenceSid, callSid }: RecordingRecord): string =>
  conferenceSid ?? callSid

export const isOver = ({ status }: RecordingRecord): boolean =>
  status === 'completed' || status === 'absent'

/** Duration in whole seconds, as the API and the callbacks show it. */
export const durationSeconds = ({ durationMs }: RecordingRecord): number | undefined =>
  durationMs === undefined ? undefined : Math.round(durationMs / 1_000)

export function toRecordingRecord(row: Selectable<RecordingsTable>): RecordingRecord {
  const { callback } = row
  return fieldsOf(row, {
    channels: row.channels === 2 ? 'dual' : 'mono',
    // `toRecordingRow` is the only writer of this JSON.
    callback: callback === null ? undefined : (JSON.parse(callback) as RecordingCallback),
  })
}

export function toRecordingRow(recording: RecordingRecord): Written<RecordingsTable> {
  const { callback } = recording
  return columnsOf(recording, {
    channels: recording.channels === 'dual' ? 2 : 1,
    callback: callback === undefined ? null : jsonAtRest(callback),
  })
}
