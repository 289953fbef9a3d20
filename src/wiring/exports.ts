import { join } from 'node:path'
import type { FileStore } from '../platform/files/file-store.js'
import { exportKinds } from '../voice/api/export-kinds.js'
import { createExports, type Exports } from '../voice/exports/exports.js'
import type { Recordings } from '../voice/recordings/recordings.js'
import type { Base } from './base.js'

/** Wires the daily archives of accounts, and starts building them. */
export async function wireExports(
  { accounts, clock, dataDir, db, disposer, log }: Base,
  files: FileStore,
  recordings: Recordings,
): Promise<Exports> {
  const kinds = exportKinds(db.read, recordings)
  const folder = join(dataDir, 'exports-building')
  const exports = createExports({ db, accounts, clock, log, files, kinds, folder })
  disposer.use(exports)
  await exports.start()
  return exports
}
