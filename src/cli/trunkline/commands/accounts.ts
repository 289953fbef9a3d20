import type { Command } from 'commander'
import { acting } from '../context.js'
import { type Surroundings, UsageError } from '../surroundings.js'
import { sidArgument } from '../terminal/arguments.js'
import { showRecord } from '../terminal/show.js'

const EXAMPLES = `
Examples:
  $ trunkline accounts create 'Branch office'         prints the token; it is shown once
  $ trunkline accounts show AC…
  $ trunkline accounts update AC… --data '{"settings":{"callsPerSecond":5}}'

These speak to the private listener, with the operator's token.`

export function addAccounts(program: Command, around: Surroundings): void {
  const accounts = program
    .command('accounts')
    .description('Makes, shows and changes accounts, as the operator.')
    .addHelpText('after', EXAMPLES)
  const create = accounts
    .command('create')
    .description('Makes an account, and prints its sid and its token.')
    .argument('<name>', 'a name for people')
  acting(create, around, async (context, friendlyName = '') => {
    const made = await context.operator().ask<object>('POST', '/accounts', { friendlyName })
    showRecord(made, context)
  })
  const show = accounts
    .command('show')
    .description('Shows an account and its settings.')
    .argument('<accountsid>', 'the sid of the account', sidArgument('AC'))
  acting(show, around, async (context, sid = '') => {
    showRecord(await context.operator().ask<object>('GET', `/accounts/${sid}`), context)
  })
  const update = accounts
    .command('update')
    .description('Changes an account: what is absent stays, what is null is cleared.')
    .argument('<accountsid>', 'the sid of the account', sidArgument('AC'))
    .option('--name <name>', 'another name for people')
    .option('--data <json>', 'a JSON object with the fields that change')
  acting<{ readonly name?: string; readonly data?: string }>(
    update,
    around,
    async (context, sid = '') => {
      const { name, data } = context.flags
      const change = { ...objectOf(data), ...(name === undefined ? {} : { friendlyName: name }) }
      showRecord(await context.operator().ask<object>('PATCH', `/accounts/${sid}`, change), context)
    },
  )
}

function objectOf(text: string | undefined): object {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Said below, for every text that is no object.
  }
  throw new UsageError('--data must be a JSON object')
}
