import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { CopyProgress } from '../../../platform/database/backup/copy-sqlite.js'
import { backUpDatabase } from '../../../platform/database/backup-database.js'
import { restoreDatabase } from '../../../platform/database/restore-database.js'
import { MIGRATIONS } from '../../../wiring/migrations.js'
import { acting, type Context } from '../context.js'
import { FailedError, type Surroundings } from '../surroundings.js'
import { wholeNumber } from '../terminal/arguments.js'
import {
  checkThere,
  forOperator,
  lockForCommand,
  type ServerDatabase,
  serverDatabase,
} from './server-database.js'

const MEGABYTE = 1_000_000
/** Default copy rate, MB/s; it leaves disk bandwidth for the server's own writes. */
const RATE_MB = 50

/** Folders that a backup leaves out, each with its content. */
const FOLDERS = {
  recordings: 'recordings',
  files: 'daily exports, media of messages',
  registry: 'uploads',
  ports: 'letters of authorisation',
}

const REPORT_EVERY_MS = 500
const SECOND_MS = 1_000

interface Screen {
  readonly isJson: boolean
  readonly complain: (line: string) => void
}

export function addBackup(database: Command, around: Surroundings): void {
  const command = database
    .command('backup')
    .description('Makes a backup of the SQLite database, and of its keys, while the server runs.')
    .argument('<file>', 'the backup; one that exists is replaced when the new one is complete')
    .option('--rate <megabytes>', 'how much to copy in a second', wholeNumber(1, 100_000), RATE_MB)
  acting<{ readonly rate: number }>(command, around, backup)
}

export function addRestore(database: Command, around: Surroundings): void {
  const command = database
    .command('restore')
    .description('Puts a backup in the place of the SQLite database of a stopped server.')
    .argument('<file>', 'the backup')
  acting(command, around, restore)
}

async function backup(context: Context<{ readonly rate: number }>, to = ''): Promise<void> {
  const place = sqliteDatabase(context, 'make a backup with pg_dump')
  const made = await forOperator(() =>
    backUpDatabase({
      ...place,
      to,
      bytesPerSecond: context.flags.rate * MEGABYTE,
      onProgress: copyReporter(context),
    }),
  )
  const folders = foldersIn(place)
  const file = resolve(to)
  if (context.isJson) {
    context.print(JSON.stringify({ file, ...made, notIncluded: folders }))
    return
  }
  context.print(
    `${file}: the database and ${made.files.join(', ')}; ${megabytes(made.bytes)}\n` +
      'It has the keys of the server: keep it where only its operators can read it.',
  )
  if (folders.length > 0)
    context.print(`Not in it, copy them now (rsync): ${folders.join(', ')}, in ${place.dataDir}`)
}

async function restore(context: Context<object>, from = ''): Promise<void> {
  const place = sqliteDatabase(context, 'restore it with pg_restore')
  checkThere(resolve(from), 'it is the backup to restore')
  mkdirSync(place.dataDir, { recursive: true, mode: 0o700 })
  const restored = await forOperator(async () => {
    using _lock = lockForCommand(place, 'trunkline database restore')
    return await restoreDatabase({
      ...place,
      from: resolve(from),
      migrations: MIGRATIONS,
      now: Date.now(),
      onProgress: copyReporter(context),
    })
  })
  if (context.isJson) {
    context.print(JSON.stringify({ database: place.file, ...restored }))
    return
  }
  const { files, former } = restored
  context.print(
    `${place.file} is that of the backup${files.length === 0 ? '' : ', and so are '}${files.join(', ')}`,
  )
  if (former !== undefined) context.print(`The former database is kept as ${former}`)
  context.print(
    `Recordings, exports and uploads are no part of a backup: copy ${Object.keys(FOLDERS).join(', ')} ` +
      `back into ${place.dataDir}. Then start the server.`,
  )
}

/** Prints the progress of a copy to standard error at a limited rate. */
function copyReporter({ isJson, complain }: Screen): (progress: CopyProgress) => void {
  const startedAt = performance.now()
  let reportedAt = startedAt
  return ({ bytes, ofBytes }) => {
    const now = performance.now()
    if (now - reportedAt < REPORT_EVERY_MS) return
    reportedAt = now
    const bytesPerSecond = Math.round((bytes * SECOND_MS) / (now - startedAt))
    const secondsLeft = bytes === 0 ? null : Math.round((ofBytes - bytes) / bytesPerSecond)
    if (isJson) complain(JSON.stringify({ bytes, ofBytes, bytesPerSecond, secondsLeft }))
    else
      complain(
        `copied ${mega(bytes)} of ${mega(ofBytes)} MB, ${mega(bytesPerSecond)} MB/s${
          secondsLeft === null ? '' : `, ${secondsLeft} s left`
        }`,
      )
  }
}

function mega(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(0)
}

/** Throws a `FailedError` when the server uses PostgreSQL. */
function sqliteDatabase(context: Surroundings, instead: string): ServerDatabase {
  const place = serverDatabase(context)
  if (place.url !== undefined)
    throw new FailedError(
      `DATABASE_URL names a PostgreSQL database: ${instead}, and copy DATA_DIR, which has the keys ` +
        '(docs/storage.md)',
    )
  return place
}

function foldersIn({ dataDir }: ServerDatabase): readonly string[] {
  return Object.entries(FOLDERS).flatMap(([folder, content]) =>
    existsSync(join(dataDir, folder))
      ? [content === folder ? `${folder}/` : `${folder}/ (${content})`]
      : [],
  )
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`
}
