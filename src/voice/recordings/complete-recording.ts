import { idle } from '../../platform/async/sleep.js'
import type { Clock } from '../../platform/clock.js'
import type { Database, Writer } from '../../platform/database/database.js'
import type { KeptFiles } from '../../platform/files/kept-files.js'
import type { Logger } from '../../platform/log.js'
import type { CallbackOutbox } from '../../platform/outbox/callback.js'
import type { UsageCharging } from '../../rating/usage-charging.js'
import type { ErrorNumber } from '../errors/error-catalogue.js'
import type { EventLog } from '../events/event-log.js'
import type { RecordingEvent } from '../model/recording-wish.js'
import type { RecordingArchive } from './archive/recording-archive.js'
import { type FinishedFile, finishFile, isDiskFull } from './files/finish-file.js'
import { recordingCallbacks } from './recording-callbacks.js'
import {
  finishedName,
  partPath,
  type RecordingFolders,
  removeRecordingFiles,
} from './recording-files.js'
import { durationSeconds, type RecordingRecord, SILENT, TOO_SHORT } from './recording-record.js'
import { saveRecording, setRecordingPrice } from './recording-storage.js'

export interface RecordingDeps {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventLog
  readonly folders: RecordingFolders
  /** Fetches a part that a killed process left on a media server; absent with a shared folder. */
  readonly bring?: (path: string) => Promise<boolean>
  /** Resolves once no media server writes for a dead process; absent where none can. */
  readonly orphansEnded?: () => Promise<void>
  /** Stores finished recordings. */
  readonly files: KeptFiles
  readonly archive: RecordingArchive
  readonly charging: UsageCharging
  /** Returns the server's public URL. */
  readonly baseUrl: () => string
  readonly outbox: CallbackOutbox
}

/** Error number of a failed media server or disk. */
const INTERNAL_FAILURE = 12400

const RETRY_MS = 1_000
/** Maximum wait for disk space after the end of the audio, ms. */
const SPACE_LIMIT_MS = 24 * 3_600_000

/**
 * Completes a recording after its audio has ended. Makes the file from its parts, then stores the
 * end with the final callback and the charge in one commit, and retries until the database accepts
 * it. A silent recording has no file. If no file can be made, the parts stay on the disk for manual
 * recovery. `failure` is the error that may have interrupted the recording.
 *
 * Resolves with a recording that is `processing`, and stores nothing, while the disk is full and
 * the limit since `updatedAt`, the end of the audio, has not passed. The parts stay.
 *
 * The finished file has its final name before the commit, which also queues its upload to the
 * bucket. After a crash before the commit, the next start completes the recording from that file.
 * After a later crash, the file is in the queue.
 */
export async function completeRecording(
  recording: RecordingRecord,
  failure: unknown,
  deps: RecordingDeps,
): Promise<RecordingRecord> {
  const ended = await endOf(recording, failure, deps)
  if (ended === 'no-space') return { ...recording, status: 'processing' }
  if (ended.status === 'absent') sayAbsent(ended, failure, deps)
  return await storeEnd(ended, deps)
}

/** Ends a recording that was deleted before its file was made, with the final callback. */
export function endDeleted(
  recording: RecordingRecord,
  deps: RecordingDeps,
): Promise<RecordingRecord> {
  return storeEnd({ ...recording, status: 'absent' }, deps)
}

async function storeEnd(ended: Ended, deps: RecordingDeps): Promise<RecordingRecord> {
  for (;;) {
    try {
      const { stored, isDeleted } = await commitEnd(ended, ended.status, deps)
      if (isDeleted || hasNoSound(stored)) await removeAudio(stored, deps)
      return stored
    } catch (err) {
      deps.log.error({ err, recordingSid: ended.sid }, 'the end of a recording could not be stored')
      // Recovery at the next start completes a recording whose end was not stored.
      await idle(RETRY_MS)
    }
  }
}

/** True for an absent recording whose parts are empty or silent. */
function hasNoSound({ errorCode }: RecordingRecord): boolean {
  return errorCode === TOO_SHORT || errorCode === SILENT
}

/** Deletes the audio; a file that cannot be deleted now is deleted at the next start. */
async function removeAudio({ sid }: RecordingRecord, deps: RecordingDeps): Promise<void> {
  try {
    await removeRecordingFiles(deps.folders, deps.files, sid)
  } catch (err) {
    deps.log.warn({ err, recordingSid: sid }, 'the audio of a recording was not removed')
  }
}

/** Stores the recording together with its status callback. */
export async function commitRecording(
  recording: RecordingRecord,
  event: RecordingEvent | 'nothing',
  deps: RecordingDeps,
): Promise<RecordingRecord> {
  const { stored } = await commitEnd(recording, event, deps)
  return stored
}

/** Stores the end of a recording with its callback; `isDeleted` when it was deleted meanwhile. */
async function commitEnd(
  recording: RecordingRecord,
  event: RecordingEvent | 'nothing',
  deps: RecordingDeps,
): Promise<{ readonly stored: RecordingRecord; readonly isDeleted: boolean }> {
  const { archive, charging, files } = deps
  const stored = { ...recording, updatedAt: deps.clock.now() }
  const hasFile = event === 'completed'
  const isArchived = hasFile && (await archive.isWanted(stored.accountSid))
  const outcome = await deps.outbox.commit(async (tx, enqueue) => {
    const saved = await saveRecording(tx, stored)
    const isThere = saved === 'stored'
    // Another node that ended the recording has sent the callback.
    if (event !== 'nothing' && saved !== 'ended')
      await enqueue(
        isThere || !hasFile
          ? recordingCallbacks(deps.baseUrl(), stored, event)
          : recordingCallbacks(deps.baseUrl(), deleted(stored), 'absent'),
      )
    if (isThere && hasFile) await files.enqueue(tx, finishedName(stored.sid))
    if (isThere && isArchived) await archive.enqueue(tx, stored)
    const price = isThere && hasFile ? await chargeFor(tx, stored, charging) : undefined
    return { saved, price }
  })
  if (isArchived) archive.wake()
  if (hasFile) files.wake()
  const isDeleted = outcome.saved === 'deleted'
  return { stored: isDeleted ? deleted(stored) : { ...stored, price: outcome.price }, isDeleted }
}

/** Returns the end of a recording that was deleted in progress: its audio cannot be fetched. */
function deleted(recording: RecordingRecord): RecordingRecord {
  if (recording.status !== 'completed') return recording
  return { ...recording, status: 'absent', durationMs: undefined }
}

/** Charges a completed recording for its duration and stores the price. */
async function chargeFor(
  tx: Writer,
  recording: RecordingRecord,
  charging: UsageCharging,
): Promise<number | undefined> {
  const { sid, accountSid, updatedAt: at } = recording
  const seconds = durationSeconds(recording) ?? 0
  const price = await charging.charge(tx, { kind: 'recording', sid, accountSid, seconds, at })
  if (price !== undefined) await setRecordingPrice(tx, sid, price)
  return price
}

type Ended = RecordingRecord & { readonly status: 'completed' | 'absent' }

async function endOf(
  recording: RecordingRecord,
  failure: unknown,
  deps: RecordingDeps,
): Promise<Ended | 'no-space'> {
  const absent = (errorCode: ErrorNumber): Ended => ({ ...recording, status: 'absent', errorCode })
  try {
    const file = await makeFile(recording, deps)
    if (file.type === 'finished')
      return { ...recording, status: 'completed', durationMs: file.durationMs }
    if (failure !== undefined) return absent(INTERNAL_FAILURE)
    return absent(file.type === 'silent' ? SILENT : TOO_SHORT)
  } catch (err) {
    if (isDiskFull(err) && deps.clock.now() < recording.updatedAt + SPACE_LIMIT_MS)
      return 'no-space'
    deps.log.error(
      { err, recordingSid: recording.sid },
      'the file of a recording could not be finished',
    )
    return absent(INTERNAL_FAILURE)
  }
}

function makeFile(
  recording: RecordingRecord,
  { files, folders }: RecordingDeps,
): Promise<FinishedFile> {
  const { sid, trim, maxMs, source, track, channels } = recording
  return finishFile({
    // A Record verb that detected no speech has no recording.
    silence: source === 'RecordVerb' ? 'nothing' : 'kept',
    path: files.pathOf(finishedName(sid)),
    partPath: (index) => partPath(folders, sid, index),
    trim,
    maxMs,
    // The first channel has the audio of the far end.
    side: track === 'both' ? undefined : { channel: track === 'inbound' ? 0 : 1, as: channels },
  })
}

function sayAbsent(
  { sid, callSid, accountSid, errorCode }: RecordingRecord,
  failure: unknown,
  { events, log }: RecordingDeps,
): void {
  if (failure !== undefined)
    log.error({ err: failure, recordingSid: sid }, 'a recording has no audio')
  const detail = {
    code: errorCode ?? INTERNAL_FAILURE,
    message: `the recording ${sid} is absent`,
    recordingSid: sid,
  }
  const kind = errorCode === INTERNAL_FAILURE ? 'error' : 'warning'
  events.append({ callSid, accountSid, kind, detail })
}
