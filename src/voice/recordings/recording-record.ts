import { jsonAtRest } from '../../platform/database/at-rest.js'
import type { Selectable, Written } from '../../platform/database/tables.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { RecordingCallback, RecordingSource, RecordingWish } from '../model/recording-wish.js'
import type { RecordingsTable } from './tables.js'

/** The error number of an absent recording that has no audio, or only silence. */
export const TOO_SHORT = 16101
export const SILENT = 16102

export type RecordingStatus =
  | 'in-progress'
  | 'paused'
  | 'stopped'
  | 'processing'
  | 'completed'
  | 'absent'

/** The statuses of a recording without an end. */
export const UNFINISHED_RECORDING: readonly RecordingStatus[] = [
  'in-progress',
  'paused',
  'stopped',
  'processing',
]

/** A recording as it is stored and shown; times are epoch milliseconds. */
export interface RecordingRecord extends Omit<RecordingWish, 'silenceMs'> {
  readonly sid: string
  readonly accountSid: string
  /**
   * The sid of the recorded call; for a conference, the call of the participant that asked for the
   * recording.
   */
  readonly callSid: string
  readonly conferenceSid: string | undefined
  readonly status: RecordingStatus
  readonly startedAt: number
  /** The length of the finished file. */
  readonly durationMs: number | undefined
  readonly errorCode: ErrorNumber | undefined
  /** In 1/10,000 dollar, once it is complete; undefined without a rate. */
  readonly price: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
}

/** The sid of the conference or call that is recorded. */
export const ownerOf = ({ conferenceSid, callSid }: RecordingRecord): string =>
  conferenceSid ?? callSid

export const isOver = ({ status }: RecordingRecord): boolean =>
  status === 'completed' || status === 'absent'

/** Whole seconds, as the API and the callbacks count. */
export const durationSeconds = ({ durationMs }: RecordingRecord): number | undefined =>
  durationMs === undefined ? undefined : Math.round(durationMs / 1_000)

export function toRecordingRecord(row: Selectable<RecordingsTable>): RecordingRecord {
  return {
    sid: row.sid,
    accountSid: row.accountSid,
    callSid: row.callSid,
    conferenceSid: row.conferenceSid ?? undefined,
    // `toRecordingRow` is the only writer of this JSON.
    status: row.status as RecordingStatus,
    source: row.source as RecordingSource,
    channels: row.channels === 2 ? 'dual' : 'mono',
    track: row.track as RecordingRecord['track'],
    trim: row.trim as RecordingRecord['trim'],
    maxMs: row.maxMs ?? undefined,
    callback: row.callback === null ? undefined : (JSON.parse(row.callback) as RecordingCallback),
    startedAt: row.startedAt,
    durationMs: row.durationMs ?? undefined,
    // Only numbers of the catalogue are ever stored.
    errorCode: (row.errorCode ?? undefined) as ErrorNumber | undefined,
    price: row.price ?? undefined,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

export function toRecordingRow(recording: RecordingRecord): Written<RecordingsTable> {
  const { callback } = recording
  return {
    sid: recording.sid,
    accountSid: recording.accountSid,
    callSid: recording.callSid,
    conferenceSid: recording.conferenceSid ?? null,
    status: recording.status,
    source: recording.source,
    channels: recording.channels === 'dual' ? 2 : 1,
    track: recording.track,
    trim: recording.trim,
    maxMs: recording.maxMs ?? null,
    callback: callback === undefined ? null : jsonAtRest(callback),
    startedAt: recording.startedAt,
    durationMs: recording.durationMs ?? null,
    errorCode: recording.errorCode ?? null,
    price: recording.price ?? null,
    createdAt: recording.createdAt,
    updatedAt: recording.updatedAt,
  }
}
