import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../log.js'
import { isThere } from './is-there.js'
import type { FileKind, KeptFiles } from './kept-files.js'
import { removeOrphans } from './remove-orphans.js'

/** Stores files where they were made, for a single machine; nothing is copied. */
export function createFolderFiles(kind: FileKind, log: Logger): KeptFiles {
  const pathOf = (fileName: string): string => join(kind.folder, fileName)
  return {
    pathOf,
    enqueue: () => Promise.resolve(),
    enqueueRemoval: () => Promise.resolve(),
    wake: () => undefined,
    find: async (fileName) => {
      const path = pathOf(fileName)
      return (await isThere(path)) ? path : undefined
    },
    derive: async (fileName, make) => {
      const path = pathOf(fileName)
      if (!(await isThere(path))) await make(path)
      return path
    },
    forget: async (fileNames) => {
      for (const fileName of fileNames) await rm(pathOf(fileName), { force: true })
    },
    recover: () => removeOrphans(kind, log),
  }
}
