import { join } from 'node:path'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { createRecordingArchive } from '../voice/recordings/archive/recording-archive.js'
import { createRecordings, type Recordings } from '../voice/recordings/recordings.js'
import type { Base } from './base.js'

export interface RecordingParts {
  readonly callbacks: CallbackOutbox
  /** The URL that customers use for this server. */
  readonly baseUrl: string
  /** The built worker that makes MP3; undefined for the one beside its module. */
  readonly mp3WorkerUrl: URL | undefined
}

/** Wires recordings. The media server writes the files, and makes their folder too. */
export function wireRecordings(base: Base, parts: RecordingParts): Recordings {
  const { accounts, clock, config, db, disposer, events, log, outbound, random } = base
  const here = join(base.dataDir, 'recordings')
  const folders = { here, onMediaServer: config.mediaRecordingsDir ?? here }
  const archive = disposer.use(
    createRecordingArchive({ db, clock, log, events, accounts, outbound, folders, random }),
  )
  return disposer.use(
    createRecordings({
      db,
      clock,
      log,
      events,
      archive,
      folders,
      baseUrl: () => parts.baseUrl,
      outbox: parts.callbacks,
      mp3WorkerUrl: parts.mp3WorkerUrl,
    }),
  )
}
