import { join } from 'node:path'
import type { Config } from '../config.js'
import { systemClock as clock } from '../platform/clock.js'
import type { Disposer } from '../platform/disposer.js'
import type { Logger } from '../platform/log.js'
import type { CallbackOutbox } from '../platform/outbox/callback.js'
import { createRecordingArchive } from '../voice/recordings/archive/recording-archive.js'
import { createRecordings, type Recordings } from '../voice/recordings/recordings.js'
import type { Base } from './base.js'

/** The media server writes the files: it makes the folder, too. */
export function wireRecordings(
  config: Config,
  { db, dataDir, events, accounts, outbound }: Base,
  rest: { readonly outbox: CallbackOutbox; readonly log: Logger; readonly baseUrl: () => string },
  disposer: Disposer,
): Recordings {
  const { outbox, log, baseUrl } = rest
  const here = join(dataDir, 'recordings')
  const folders = { here, onMediaServer: config.mediaRecordingsDir ?? here }
  const archive = disposer.use(
    createRecordingArchive({
      ...{ db, clock, log, events, accounts, outbound, folders },
      random: Math.random,
    }),
  )
  return disposer.use(
    createRecordings({
      ...{ db, clock, log, events, baseUrl, archive, folders },
      outbox,
    }),
  )
}
