/** The database of the server that the environment configures. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig } from '../../../config.js'
import { BackupError } from '../../../platform/database/backup/copy-sqlite.js'
import {
  type FolderLock,
  FolderLockedError,
  lockFolder,
} from '../../../platform/database/folder-lock.js'
import { MoveError } from '../../../platform/database/moving/move-error.js'
import { SchemaMismatchError } from '../../../platform/database/pending-migrations.js'
import { DatabaseUnreachableError } from '../../../platform/database/storage-error.js'
import { readOrCreateNodeId } from '../../../platform/secrets.js'
import { FailedError, type Surroundings } from '../surroundings.js'

export interface ServerDatabase {
  readonly dataDir: string
  /** Path of the SQLite file, which may not exist. */
  readonly file: string
  /** URL of the PostgreSQL database; undefined for SQLite. */
  readonly url: string | undefined
  /** Name of the server among those that share its database. */
  readonly node: () => string
}

/** Throws a `ConfigError` for an invalid setting. */
export function serverDatabase({ env }: Pick<Surroundings, 'env'>): ServerDatabase {
  const { database, dataDir: folder } = readConfig(env)
  const dataDir = resolve(folder)
  return {
    dataDir,
    file: join(dataDir, 'trunkline.db'),
    url: database.url,
    node: () => database.nodeId ?? readOrCreateNodeId(join(dataDir, 'node-id')),
  }
}

/** Throws a `FailedError` when the file is missing, before anything is created. */
export function checkThere(file: string, advice: string): void {
  if (!existsSync(file)) throw new FailedError(`there is no file ${file}: ${advice}`)
}

/** Locks the data folder against servers until disposed. Throws when a server uses it. */
export function lockForCommand({ dataDir }: ServerDatabase, command: string): FolderLock {
  return lockFolder(dataDir, { now: Date.now(), listeners: [command] })
}

/** Errors whose message tells the operator what to do. */
const FOR_THE_OPERATOR = [
  MoveError,
  BackupError,
  SchemaMismatchError,
  FolderLockedError,
  DatabaseUnreachableError,
]

/** Runs `work`; an error that the operator can fix becomes a `FailedError`. */
export async function forOperator<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && FOR_THE_OPERATOR.some((kind) => error instanceof kind))
      throw new FailedError(error.message, { cause: error })
    throw error
  }
}
