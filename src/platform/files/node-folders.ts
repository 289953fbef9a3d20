/**
 * Files that stay where they were made while several nodes share the database: a node learns from the
 * database that another one has deleted an owner, and removes its files.
 */
import { repeat } from '../async/repeat.js'
import type { Clock } from '../clock.js'
import type { Logger } from '../log.js'
import { createFolderFiles } from './folder-files.js'
import type { FileKind, KeepFiles } from './kept-files.js'
import { removeOrphans } from './remove-orphans.js'

export interface NodeFolders extends AsyncDisposable {
  readonly keep: KeepFiles
  /** Removes the files whose owners are gone. */
  sweep(): Promise<void>
}

export interface NodeFoldersDeps {
  /** The clock of the file system. */
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

const SWEEP_EVERY_MS = 10 * 60_000
/** The time within which the row of an owner follows its file. */
const ROW_FOLLOWS_MS = 10 * 60_000

export function createNodeFolders({ clock, log }: NodeFoldersDeps): NodeFolders {
  const kinds: FileKind[] = []
  const sweep = async (): Promise<void> => {
    for (const kind of kinds) await removeOrphans(kind, log, clock.now() - ROW_FOLLOWS_MS)
  }
  const sweeps = repeat({ name: 'deleted files', log, everyMs: SWEEP_EVERY_MS, work: sweep })
  return {
    keep: (kind) => {
      kinds.push(kind)
      return createFolderFiles(kind, log)
    },
    sweep,
    [Symbol.asyncDispose]: () => sweeps[Symbol.asyncDispose](),
  }
}
