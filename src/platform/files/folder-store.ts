/** A store in a folder of this machine. A file is whole or absent. */
import { randomUUID } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileLinks } from './file-links.js'
import { type FileStore, FileStoreError } from './file-store.js'

export interface FolderStore extends FileStore {
  /** Opens a file; resolves with undefined when there is none. */
  open(name: string): Promise<{ readonly bytes: number; read(): ReadStream } | undefined>
}

export function createFolderStore(folder: string, links: FileLinks): FolderStore {
  const pathOf = (name: string): string => {
    if (!NAME.test(name)) throw new FileStoreError(`${name} is not the name of a file`)
    return join(folder, name)
  }
  return {
    put: async (name, path) => {
      const target = pathOf(name)
      const part = `${target}.${randomUUID()}.part`
      try {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await copyFile(path, part)
        await flush(part)
        await rename(part, target)
      } catch (cause) {
        await rm(part, { force: true })
        throw new FileStoreError(`${name} could not be stored in ${folder}`, cause)
      }
    },
    remove: async (name) => {
      try {
        await rm(pathOf(name), { force: true })
      } catch (cause) {
        throw new FileStoreError(`${name} could not be deleted from ${folder}`, cause)
      }
    },
    link: (name, wanted) => links.make(name, wanted),
    open: async (name) => {
      const path = pathOf(name)
      try {
        const { size } = await stat(path)
        return { bytes: size, read: () => createReadStream(path) }
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
        throw error
      }
    },
  }
}

/** Segments of plain characters, none of which leads out of the folder. */
const NAME = /^[A-Za-z0-9][\w-]*(\/[A-Za-z0-9][\w-]*)*(\.[a-z0-9]+)*$/

async function flush(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
}
