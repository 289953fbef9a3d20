import type { Command } from 'commander'
import { addMove } from '../database/move.js'
import type { Surroundings } from '../surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline database move --to postgres://trunkline:PASSWORD@db.example/calls

These work on the files of DATA_DIR, on the machine of the server. docs/storage.md tells the steps.`

export function addDatabase(program: Command, around: Surroundings): void {
  const database = program
    .command('database')
    .description('Moves the database from SQLite to PostgreSQL.')
    .addHelpText('after', EXAMPLES)
  addMove(database, around)
}
