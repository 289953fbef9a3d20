import { idle } from '../../platform/async/sleep.js'
import type { Clock } from '../../platform/clock.js'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { EventLog } from '../events/event-log.js'
import type { RecordingEvent } from '../model/recording-wish.js'
import type { RecordingArchive } from './archive/recording-archive.js'
import { type FinishedFile, finishFile } from './files/finish-file.js'
import { recordingCallbacks } from './recording-callbacks.js'
import { finishedPath, partPath, type RecordingFolders } from './recording-files.js'
import type { RecordingRecord } from './recording-record.js'
import { saveRecording } from './recording-storage.js'

export interface RecordingDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventLog
  readonly folders: RecordingFolders
  readonly archive: RecordingArchive
  /** What customers reach us by, once it is known. */
  readonly baseUrl: () => string
  readonly outbox: CallbackOutbox
}

const TOO_SHORT = 16101
const SILENT = 16102
/** The media server or the disk failed. */
const INTERNAL_FAILURE = 12400

const RETRY_MS = 1_000

/**
 * The one way every recording ends: its file is made from what is on the disk, and its one final
 * callback goes with the commit of its end. Resolves once that is stored, however long the disk takes
 * no more; `failure`: why nothing may have been recorded.
 */
export async function completeRecording(
  recording: RecordingRecord,
  failure: unknown,
  deps: RecordingDeps,
): Promise<RecordingRecord> {
  const ended = await endOf(recording, failure, deps)
  if (ended.status === 'absent') sayAbsent(ended, failure, deps)
  for (;;) {
    try {
      return await commitRecording(ended, ended.status, deps)
    } catch (err) {
      deps.log.error({ err, recordingSid: ended.sid }, 'the end of a recording could not be stored')
      // The end of the process does not wait for it: the next one completes what is not stored.
      await idle(RETRY_MS)
    }
  }
}

/** Stores the recording together with what its customer is to hear of it. */
export async function commitRecording(
  recording: RecordingRecord,
  event: RecordingEvent | 'nothing',
  deps: RecordingDeps,
): Promise<RecordingRecord> {
  const stored = { ...recording, updatedAt: deps.clock.now() }
  const isArchived = event === 'completed' && (await deps.archive.isWanted(stored.accountSid))
  const rows = event === 'nothing' ? [] : recordingCallbacks(deps.baseUrl(), stored, event)
  await deps.outbox.commit(async (tx, enqueue) => {
    await saveRecording(tx, stored)
    await enqueue(rows)
    if (isArchived) await deps.archive.enqueue(tx, stored)
  })
  if (isArchived) deps.archive.wake()
  return stored
}

type Ended = RecordingRecord & { readonly status: 'completed' | 'absent' }

async function endOf(
  recording: RecordingRecord,
  failure: unknown,
  { folders, log }: RecordingDeps,
): Promise<Ended> {
  const absent = (errorCode: ErrorNumber): Ended => ({ ...recording, status: 'absent', errorCode })
  try {
    const file = await makeFile(recording, folders)
    if (file.type === 'finished')
      return { ...recording, status: 'completed', durationMs: file.durationMs }
    if (failure !== undefined) return absent(INTERNAL_FAILURE)
    return absent(file.type === 'silent' ? SILENT : TOO_SHORT)
  } catch (err) {
    log.error({ err, recordingSid: recording.sid }, 'the file of a recording could not be finished')
    return absent(INTERNAL_FAILURE)
  }
}

function makeFile(recording: RecordingRecord, folders: RecordingFolders): Promise<FinishedFile> {
  const { sid, trim, maxMs, source } = recording
  return finishFile({
    // Who was asked to speak and did not has left nothing to be listened to.
    silence: source === 'RecordVerb' ? 'nothing' : 'kept',
    path: finishedPath(folders, sid),
    partPath: (index) => partPath(folders, sid, index),
    trim,
    maxMs,
  })
}

function sayAbsent(
  { sid, callSid, accountSid, errorCode }: RecordingRecord,
  failure: unknown,
  { events, log }: RecordingDeps,
): void {
  if (failure !== undefined) log.error({ err: failure, recordingSid: sid }, 'nothing was recorded')
  const detail = {
    code: errorCode ?? INTERNAL_FAILURE,
    message: `there is no recording ${sid}`,
    recordingSid: sid,
  }
  const kind = errorCode === INTERNAL_FAILURE ? 'error' : 'warning'
  events.append({ callSid, accountSid, kind, detail })
}
