/**
 * Files that stay on the node that made them while several nodes share the database: when another node has
 * deleted an owner, this node removes its files.
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
/** Maximum time between the creation of a file and of its owner's row, ms. */
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
