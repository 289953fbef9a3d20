import type { Command } from 'commander'
import { moveDatabase } from '../../../platform/database/move-database.js'
import type { MoveProgress } from '../../../platform/database/moving/move-meter.js'
import {
  PostgresUrlError,
  readPostgresUrl,
  withoutPassword,
} from '../../../platform/database/postgres-url.js'
import { MIGRATIONS } from '../../../wiring/migrations.js'
import { acting, type Context } from '../context.js'
import { addBackup, addRestore } from '../database/backup.js'
import {
  checkThere,
  forOperator,
  lockForCommand,
  serverDatabase,
} from '../database/server-database.js'
import { type Surroundings, UsageError } from '../surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline database backup /backups/trunkline-monday.db          the server may run
  $ trunkline database restore /backups/trunkline-monday.db         the server must not run
  $ trunkline database move --to postgres://trunkline:PASSWORD@db.example/calls

These work on the files of DATA_DIR, on the machine of the server. docs/storage.md tells the steps.`

interface MoveFlags {
  readonly to?: string
}

export function addDatabase(program: Command, around: Surroundings): void {
  const database = program
    .command('database')
    .description('Backs up and restores the SQLite database, or moves it into PostgreSQL.')
    .addHelpText('after', EXAMPLES)
  addBackup(database, around)
  addRestore(database, around)
  addMove(database, around)
}

function addMove(database: Command, around: Surroundings): void {
  const command = database
    .command('move')
    .description(
      'Moves the SQLite database of a stopped server into PostgreSQL, and compares them.',
    )
    .option(
      '--to <url>',
      'the empty database, postgres://USER:PASSWORD@HOST/NAME; else DATABASE_URL',
    )
  acting<MoveFlags>(command, around, move)
}

async function move(context: Context<MoveFlags>): Promise<void> {
  const place = serverDatabase(context)
  const url = checkedUrl(context.flags.to ?? place.url)
  checkThere(place.file, 'DATA_DIR names the data folder of the server')
  const moved = await forOperator(async () => {
    using _lock = lockForCommand(place, 'trunkline database move')
    return await moveDatabase({
      file: place.file,
      url,
      migrations: MIGRATIONS,
      node: place.node(),
      onProgress: (progress) => {
        context.complain(context.isJson ? JSON.stringify(progress) : progressLine(progress))
      },
    })
  })
  const databaseUrl = withoutPassword(url)
  if (context.isJson) {
    context.print(JSON.stringify({ ...moved, databaseUrl, dataDir: place.dataDir }))
    return
  }
  const { rows, tables, seconds } = moved
  context.print(
    `moved and compared ${grouped(rows)} rows of ${tables} tables in ${seconds.toFixed(1)} s\n\n` +
      `Now start the server with  DATABASE_URL=${databaseUrl}\n` +
      `and with the same DATA_DIR: recordings, media and keys stay in ${place.dataDir}.\n` +
      `The SQLite database ${place.file} is as it was; remove it when the server runs well.`,
  )
}

/** Validates the URL. The error does not repeat the URL, which contains a password. */
function checkedUrl(text: string | undefined): string {
  if (text === undefined) throw new UsageError('where to? Give --to, or set DATABASE_URL')
  try {
    readPostgresUrl(text)
    return text
  } catch (error) {
    if (error instanceof PostgresUrlError) throw new UsageError(`--to ${error.message}`)
    throw error
  }
}

function progressLine({ step, table, rows, ofRows, rowsPerSecond, secondsLeft }: MoveProgress) {
  const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`
  return `${step} ${table}: ${grouped(rows)} of ${grouped(ofRows)} rows, ${grouped(rowsPerSecond)} rows/s${left}`
}

/** A number with commas as thousands separators, in every locale. */
function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
