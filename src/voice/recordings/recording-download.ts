/** Downloads of finished recordings. A converted format is made at its first download. */
import { createReadStream } from 'node:fs'
import type { Database } from '../../platform/database/database.js'
import type { KeptFiles } from '../../platform/files/kept-files.js'
import type { Logger } from '../../platform/log.js'
import { openRecordingMedia } from './files/recording-media.js'
import { sizeOf } from './files/wav-part.js'
import { Mp3Encoder, type WantedMp3 } from './mp3/mp3-encoder.js'
import { MediaUnavailableError, NotDualChannelError } from './recording-errors.js'
import {
  finishedName,
  mp3Name,
  type RecordingFolders,
  removeRecordingFiles,
} from './recording-files.js'
import type { RecordingRecord } from './recording-record.js'
import { findRecording } from './recording-storage.js'

export interface WantedMedia {
  readonly format: 'wav' | 'mp3'
  /** Number of channels; undefined keeps the recorded number. */
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
   * Opens a download; resolves with undefined until there is a file. Rejects with
   * NotDualChannelError or MediaUnavailableError; with FileUnavailableError when the file is on
   * another machine, or the bucket is unreachable.
   */
  open(recording: RecordingRecord, wanted: WantedMedia): Promise<RecordingDownload | undefined>
}

export interface DownloadDeps {
  readonly db: Database
  readonly log: Logger
  readonly folders: RecordingFolders
  readonly files: KeptFiles
  /** URL of the built worker; the default is the one of this build. */
  readonly mp3WorkerUrl?: URL | undefined
}

export function createDownloads(deps: DownloadDeps): RecordingDownloads {
  const { db, files, folders } = deps
  const mp3 = new Mp3Encoder({ url: deps.mp3WorkerUrl })
  return {
    open: async ({ accountSid, sid, status }, wanted) => {
      if (status !== 'completed') return undefined
      const download = await openDownload(sid, wanted, mp3, deps)
      // The recording may have been deleted while the file was made.
      if ((await findRecording(db.read, accountSid, sid)) !== undefined) return download
      await removeRecordingFiles(folders, files, sid)
      return undefined
    },
    [Symbol.asyncDispose]: () => mp3[Symbol.asyncDispose](),
  }
}

async function openDownload(
  sid: string,
  { format, channels }: WantedMedia,
  mp3: Mp3Encoder,
  { files, log }: DownloadDeps,
): Promise<RecordingDownload | undefined> {
  const source = await files.find(finishedName(sid))
  if (source === undefined) return undefined
  const wav = await openRecordingMedia(source, channels === 1 ? 'one-channel' : 'as-recorded')
  if (wav === undefined) return undefined
  if (channels === 2 && wav.channels !== 2) throw new NotDualChannelError()
  if (format === 'wav') return { format, channels: wav.channels, bytes: wav.bytes, read: wav.read }
  const mix = wav.isMixed ? 'one-channel' : 'as-recorded'
  const target = await files.derive(mp3Name(sid, mix), (path) =>
    // The file may have left the cache while the job was queued.
    makeMp3(mp3, { target: path, mix, source: () => files.find(finishedName(sid)) }, log),
  )
  const bytes = await sizeOf(target)
  if (bytes === undefined) return undefined
  const read = (start: number, end: number) => createReadStream(target, { start, end })
  return { format, channels: wav.channels, bytes, read }
}

async function makeMp3(mp3: Mp3Encoder, wanted: WantedMp3, log: Logger): Promise<void> {
  try {
    await mp3.make(wanted)
  } catch (err) {
    log.error({ err, target: wanted.target }, 'the MP3 file of a recording could not be made')
    throw new MediaUnavailableError('the recording cannot be encoded now', { cause: err })
  }
}
