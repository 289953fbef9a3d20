import type Sqlite from 'better-sqlite3'
import { voiceTables } from './migrations/001-voice.js'
import { registryTables } from './migrations/002-registry.js'
import { accountSettings } from './migrations/003-account-settings.js'
import { outboxHeads } from './migrations/004-outbox-heads.js'
import { callHeaders } from './migrations/005-call-headers.js'
import { registryAdditions } from './migrations/006-registry-additions.js'
import { liveDialogs } from './migrations/007-live-dialogs.js'
import { callLists } from './migrations/008-call-lists.js'
import { idempotencyKeys } from './migrations/009-idempotency-keys.js'
import { streams } from './migrations/010-streams.js'
import { recordings } from './migrations/011-recordings.js'
import { conferences } from './migrations/012-conferences.js'
import { conferenceCallbacks } from './migrations/013-conference-callbacks.js'
import { queues } from './migrations/014-queues.js'
import { recordingArchive } from './migrations/015-recording-archive.js'
import { callSipOrigin } from './migrations/016-call-sip-origin.js'
import { conferenceRecordings } from './migrations/017-conference-recordings.js'

/** In order; the database remembers how many it has. */
const MIGRATIONS: readonly string[] = [
  voiceTables,
  registryTables,
  accountSettings,
  outboxHeads,
  callHeaders,
  registryAdditions,
  liveDialogs,
  callLists,
  idempotencyKeys,
  streams,
  recordings,
  conferences,
  conferenceCallbacks,
  queues,
  recordingArchive,
  callSipOrigin,
  conferenceRecordings,
]

export function migrate(connection: Sqlite.Database): void {
  const applied = Number(connection.pragma('user_version', { simple: true }))
  if (applied > MIGRATIONS.length) {
    throw new Error(
      `the database is of a newer trunkline (schema ${applied}, this one knows ${MIGRATIONS.length})`,
    )
  }
  for (const [index, statements] of MIGRATIONS.entries()) {
    if (index < applied) continue
    connection.transaction(() => {
      connection.exec(statements)
      connection.pragma(`user_version = ${index + 1}`)
    })()
  }
}
