import type { Command } from 'commander'
import { addBackup, addRestore } from '../database/backup.js'
import { addMove } from '../database/move.js'
import type { Surroundings } from '../surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline database backup /backups/trunkline-monday.db          the server may run
  $ trunkline database restore /backups/trunkline-monday.db         the server must not run
  $ trunkline database move --to postgres://trunkline:PASSWORD@db.example/calls

These work on the files of DATA_DIR, on the machine of the server. docs/storage.md tells the steps.`

export function addDatabase(program: Command, around: Surroundings): void {
  const database = program
    .command('database')
    .description('Backs up and restores the SQLite database, or moves it into PostgreSQL.')
    .addHelpText('after', EXAMPLES)
  addBackup(database, around)
  addRestore(database, around)
  addMove(database, around)
}
