import { join } from 'node:path'
import type { Ledger } from '../ledger/ledger.js'
import type { KeepFiles } from '../platform/files/kept-files.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { createUsageCharging } from '../rating/usage-charging.js'
import { createRecordingArchive } from '../voice/recordings/archive/recording-archive.js'
import { isFinishedName, sidOfFile } from '../voice/recordings/recording-files.js'
import { sidsWithFiles } from '../voice/recordings/recording-storage.js'
import { createRecordings, type Recordings } from '../voice/recordings/recordings.js'
import { tellNotSent } from '../voice/recordings/tell-not-sent.js'
import type { Telephony } from '../voice/telephony/port.js'
import type { Base } from './base.js'

export interface RecordingParts {
  readonly telephony: Pick<Telephony, 'bringRecording' | 'orphansEnded'>
  readonly callbacks: CallbackOutbox
  readonly keepFiles: KeepFiles
  readonly ledger: Ledger
  /** Public base URL of this server. */
  readonly baseUrl: string
  /** URL of the built MP3 worker; by default the one beside its module. */
  readonly mp3WorkerUrl?: URL | undefined
}

/** Folder of recordings: its path on this server, and on the media server. */
export function recordingFolders({ config, dataDir }: Pick<Base, 'config' | 'dataDir'>) {
  const here = join(dataDir, 'recordings')
  return { here, onMediaServer: config.media.recordingsDir ?? here }
}

/** Wires recordings. The media server writes the files and creates their folder. */
export function wireRecordings(base: Base, parts: RecordingParts): Recordings {
  const { accounts, clock, db, disposer, events, log, outbound, random } = base
  const folders = recordingFolders(base)
  const files = parts.keepFiles({
    name: 'recordings',
    folder: folders.here,
    mimeType: 'audio/x-wav',
    ownerOf: sidOfFile,
    existing: (sids) => sidsWithFiles(db.read, sids),
    isWhole: isFinishedName,
    onFailure: (fileName, failure) =>
      tellNotSent(sidOfFile(fileName) ?? '', failure, { read: db.read, events }),
  })
  const archive = disposer.use(
    createRecordingArchive({ db, clock, log, events, accounts, outbound, files, random }),
  )
  return disposer.use(
    createRecordings({
      db,
      clock,
      log,
      events,
      archive,
      charging: createUsageCharging(parts.ledger),
      folders,
      bring: (path) => parts.telephony.bringRecording(path),
      orphansEnded: () => parts.telephony.orphansEnded(),
      files,
      baseUrl: () => parts.baseUrl,
      outbox: parts.callbacks,
      mp3WorkerUrl: parts.mp3WorkerUrl,
    }),
  )
}
