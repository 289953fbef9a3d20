/** The database of the server whose settings are in the environment. */
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
  /** The SQLite file, which exists or not. */
  readonly file: string
  /** The URL of the PostgreSQL database, when the server uses one. */
  readonly url: string | undefined
  /** The name of the server among those that share its database. */
  readonly node: () => string
}

/** Throws a `ConfigError` when a setting is wrong. */
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

/** Throws when the file is not there, before anything is made beside it. */
export function checkThere(file: string, advice: string): void {
  if (!existsSync(file)) throw new FailedError(`there is no file ${file}: ${advice}`)
}

/** Keeps servers out of the data folder until disposed; throws when one runs there. */
export function lockForCommand({ dataDir }: ServerDatabase, command: string): FolderLock {
  return lockFolder(dataDir, { now: Date.now(), listeners: [command] })
}

/** The failures whose message says what to do. */
const FOR_THE_OPERATOR = [
  MoveError,
  BackupError,
  SchemaMismatchError,
  FolderLockedError,
  DatabaseUnreachableError,
]

/** Runs the work of a command; a failure that the operator can mend becomes a `FailedError`. */
export async function forOperator<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && FOR_THE_OPERATOR.some((kind) => error instanceof kind))
      throw new FailedError(error.message, { cause: error })
    throw error
  }
}
