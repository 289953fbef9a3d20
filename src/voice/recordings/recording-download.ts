/** Downloads of finished recordings. A format is made at its first download. */
import { createReadStream } from 'node:fs'
import type { Database } from '../../platform/database/database.js'
import type { Logger } from '../../platform/log.js'
import { openRecordingMedia } from './files/recording-media.js'
import { sizeOf } from './files/wav-part.js'
import { Mp3Encoder } from './mp3/mp3-encoder.js'
import type { Mp3Job } from './mp3/protocol.js'
import { MediaUnavailableError, NotDualChannelError } from './recording-errors.js'
import {
  finishedPath,
  mp3Path,
  type RecordingFolders,
  removeRecordingFiles,
} from './recording-files.js'
import type { RecordingRecord } from './recording-record.js'
import { findRecording } from './recording-storage.js'

export interface WantedMedia {
  readonly format: 'wav' | 'mp3'
  /** The number of channels; undefined keeps the recorded number. */
  readonly channels?: 1 | 2 | undefined
}

export interface RecordingDownload {
  readonly format: 'wav' | 'mp3'
  readonly channels: number
  readonly bytes: number
  /** Reads the bytes from `start` to `end`, both included, as with HTTP ranges. */
  readonly read: (start: number, end: number) => AsyncIterable<Uint8Array>
}

export interface RecordingDownloads extends AsyncDisposable {
  /**
   * Opens a download; resolves with undefined while there is no file. Rejects with
   * NotDualChannelError or MediaUnavailableError.
   */
  open(recording: RecordingRecord, wanted: WantedMedia): Promise<RecordingDownload | undefined>
}

export interface DownloadDeps {
  readonly db: Database
  readonly log: Logger
  readonly folders: RecordingFolders
  /** The URL of the built worker; undefined takes the one of this build. */
  readonly mp3WorkerUrl?: URL | undefined
}

export function createDownloads(deps: DownloadDeps): RecordingDownloads {
  const { db, folders } = deps
  const mp3 = new Mp3Encoder({ url: deps.mp3WorkerUrl })
  return {
    open: async ({ accountSid, sid }, wanted) => {
      const download = await openDownload(sid, wanted, mp3, deps)
      // The recording may have been deleted while the file was made.
      if ((await findRecording(db.read, accountSid, sid)) !== undefined) return download
      await removeRecordingFiles(folders, sid)
      return undefined
    },
    [Symbol.asyncDispose]: () => mp3[Symbol.asyncDispose](),
  }
}

async function openDownload(
  sid: string,
  { format, channels }: WantedMedia,
  mp3: Mp3Encoder,
  { folders, log }: DownloadDeps,
): Promise<RecordingDownload | undefined> {
  const source = finishedPath(folders, sid)
  const wav = await openRecordingMedia(source, channels === 1 ? 'one-channel' : 'as-recorded')
  if (wav === undefined) return undefined
  if (channels === 2 && wav.channels !== 2) throw new NotDualChannelError()
  if (format === 'wav') return { format, channels: wav.channels, bytes: wav.bytes, read: wav.read }
  const mix = wav.isMixed ? 'one-channel' : 'as-recorded'
  const target = mp3Path(folders, sid, mix)
  await makeMp3(mp3, { source, target, mix }, log)
  const bytes = await sizeOf(target)
  if (bytes === undefined) return undefined
  const read = (start: number, end: number) => createReadStream(target, { start, end })
  return { format, channels: wav.channels, bytes, read }
}

async function makeMp3(mp3: Mp3Encoder, job: Mp3Job, log: Logger): Promise<void> {
  try {
    await mp3.make(job)
  } catch (err) {
    log.error({ err, source: job.source }, 'the MP3 file of a recording could not be made')
    throw new MediaUnavailableError('the recording cannot be encoded now', { cause: err })
  }
}
