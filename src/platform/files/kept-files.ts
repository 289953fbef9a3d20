/** Whole files that a database row owns, stored on a machine or in a shared bucket. */

import { readFile } from 'node:fs/promises'
import type { Writer } from '../database/database.js'
import { StorageUnavailableError } from '../database/storage-error.js'
import { InvariantError } from '../errors.js'
import type { StoreErrorCode } from './object-store.js'

/** Files of one kind, such as recordings. */
export interface FileKind {
  /** The first part of the names in the bucket. */
  readonly name: string
  /** The folder of this machine where the files are made, and kept while no bucket has them. */
  readonly folder: string
  readonly mimeType: string
  /** Returns the owner in a file's name; undefined for files of another kind. */
  readonly ownerOf: (fileName: string) => string | undefined
  /** Resolves with the owners in the list that have rows. */
  readonly existing: (owners: readonly string[]) => Promise<readonly string[]>
  /** True for whole files, false for unfinished and derived ones. */
  readonly isWhole: (fileName: string) => boolean
  /** Called once for each kind of failure of a file's transfer to the bucket. */
  readonly onFailure?: (fileName: string, failure: SendFailure) => Promise<void>
}

export interface SendFailure {
  readonly code: StoreErrorCode
  /** A sentence for the file's owner. */
  readonly reason: string
}

/**
 * The files of one kind. A file is made whole under its path, then committed with its owner's row by
 * `enqueue`. A process that is killed before the commit leaves an orphan, which `recover` removes;
 * one that is killed after it has lost nothing: the row of the queue sends the file later.
 */
export interface KeptFiles {
  /** Path where the file is created, and where it waits for the bucket. */
  pathOf(fileName: string): string
  /** Queues the transfer to the bucket, in the transaction that commits the owner. */
  enqueue(tx: Writer, fileName: string): Promise<void>
  /** Queues the removal from the bucket, in the transaction that deletes the owner. */
  enqueueRemoval(tx: Writer, fileName: string): Promise<void>
  /** Starts the queued work; called after such a commit. */
  wake(): void
  /**
   * Resolves with the path of the file on this machine, where it stays for a minute; undefined when
   * the file does not exist. Rejects with FileUnavailableError when only another machine has it.
   */
  find(fileName: string): Promise<string | undefined>
  /** Resolves with the path of a file that `make` makes of others, once for all that ask. */
  derive(fileName: string, make: (path: string) => Promise<void>): Promise<string>
  /** Deletes this machine's copies of whole and derived files. */
  forget(fileNames: readonly string[]): Promise<void>
  /**
   * Removes files without an owner, and queues whole ones that wait for no bucket yet. Called at the
   * start, before any file is made.
   */
  recover(): Promise<void>
}

export type KeepFiles = (kind: FileKind) => KeptFiles

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The file exists but cannot be read here at this moment. */
export class FileUnavailableError extends StorageUnavailableError {
  override readonly name = 'FileUnavailableError'

  constructor(why: string, options?: ErrorOptions) {
    super(`the file cannot be read at this moment: ${why}`, options)
  }
}

/** Reads a file whose owner exists. Rejects with FileUnavailableError as `find` does. */
export async function readKept(files: KeptFiles, fileName: string): Promise<Buffer> {
  const bytes = await readIfKept(files, fileName)
  if (bytes === undefined) throw new InvariantError(`the file ${fileName} is missing`)
  return bytes
}

/** Reads a file that may be missing, which gives undefined. Rejects as `readKept` does. */
export async function readIfKept(files: KeptFiles, fileName: string): Promise<Buffer | undefined> {
  const path = await files.find(fileName)
  return path === undefined ? undefined : await readFile(path)
}

/** Files that are named by the id of their row, and by nothing else. */
export function uploadKind(name: string, folder: string, existing: FileKind['existing']): FileKind {
  return {
    name,
    folder,
    mimeType: 'application/octet-stream',
    ownerOf: (fileName) => (UUID.test(fileName) ? fileName : undefined),
    existing,
    isWhole: (fileName) => UUID.test(fileName),
  }
}
