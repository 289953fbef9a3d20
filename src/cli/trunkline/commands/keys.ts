import type { Command } from 'commander'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'
import { sidArgument, wholeNumber } from '../terminal/arguments.js'
import { showList, showRecord } from '../terminal/show.js'

const EXAMPLES = `
Examples:
  $ trunkline keys
  $ trunkline keys create laptop                    prints the secret; it is shown once
  $ trunkline keys delete SK…

A key and its secret are credentials of the account that can be withdrawn by themselves.`

export function addKeys(program: Command, around: Surroundings): void {
  const keys = program
    .command('keys')
    .description("Lists the account's keys, makes one, or deletes one.")
    .addHelpText('after', EXAMPLES)
  const list = keys
    .command('list', { isDefault: true })
    .description('Lists the keys, the newest first.')
    .option('--limit <number>', 'how many keys', wholeNumber(1, 1_000_000), 1_000)
  acting<{ readonly limit: number }>(list, around, async (context) => {
    const found = context.voice().list<object>('/Keys.json', 'keys', {}, context.flags.limit)
    await showList(found, ['sid', 'friendly_name', 'date_created'], context)
  })
  const create = keys
    .command('create')
    .description('Makes a key, and prints its secret.')
    .argument('<name>', 'a name for people')
  acting(create, around, async (context, name = '') => {
    const made = await context.voice().post<object>('/Keys.json', { FriendlyName: name })
    showRecord(made, context)
  })
  const remove = keys
    .command('delete')
    .description('Deletes a key: its secret stops at once.')
    .argument('<keysid>', 'the sid of the key', sidArgument('SK'))
  acting(remove, around, (context, sid = '') => context.voice().remove(`/Keys/${sid}.json`))
}
