import type { Command } from 'commander'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'

const EXAMPLES = `
Examples:
  $ trunkline start
  $ HTTP_PORT=9000 DATA_DIR=/var/lib/trunkline trunkline start

Settings are environment variables; the README lists them. SIGTERM lets live calls finish.`

export function addStart(program: Command, around: Surroundings): void {
  const command = program
    .command('start')
    .description('Runs the server until it is told to stop.')
    .addHelpText('after', EXAMPLES)
  acting(command, around, async () => {
    // Importing the server's entry runs it.
    await import(new URL('../../../main.js', import.meta.url).href)
  })
}
