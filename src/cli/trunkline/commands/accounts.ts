import { type Command, Option } from 'commander'
import { acting, type Context } from '../context.js'
import { type Surroundings, UsageError } from '../surroundings.js'
import { sidArgument, wholeNumber } from '../terminal/arguments.js'
import { showList, showRecord } from '../terminal/show.js'

const EXAMPLES = `
Examples:
  $ trunkline accounts --status suspended
  $ trunkline accounts create 'Branch office'         prints the token; it is shown once
  $ trunkline accounts show AC…
  $ trunkline accounts rotate AC… --overlap 3600      a new token; the old one works an hour more
  $ trunkline accounts password AC…                   a password, and a new token with it
  $ trunkline accounts disable AC…
  $ trunkline accounts update AC… --data '{"settings":{"callsPerSecond":5}}'

These speak to the private listener, with the operator's token.`

const MAX_PAGE_SIZE = 1_000

export function addAccounts(program: Command, around: Surroundings): void {
  const accounts = program
    .command('accounts')
    .description(
      'Lists accounts, makes, shows, changes, disables and deletes them, as the operator.',
    )
    .addHelpText('after', EXAMPLES)
  addList(accounts, around)
  addLife(accounts, around)
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

interface ListFlags {
  readonly status?: string
  readonly limit: number
}

interface Page {
  readonly accounts: readonly object[]
  readonly nextPageToken: string | null
}

function addList(accounts: Command, around: Surroundings): void {
  const command = accounts
    .command('list', { isDefault: true })
    .description('Lists accounts, the newest first.')
    .addOption(
      new Option('--status <status>', 'only accounts of this status').choices([
        'active',
        'suspended',
        'closed',
      ]),
    )
    .option('--limit <number>', 'how many accounts', wholeNumber(1, 1_000_000), 20)
  acting<ListFlags>(command, around, async (context) => {
    await showList(pagesOf(context), ['accountSid', 'friendlyName', 'status'], context)
  })
}

async function* pagesOf(context: Context<ListFlags>): AsyncGenerator<object> {
  const { status, limit } = context.flags
  const query = new URLSearchParams({ pageSize: String(Math.min(limit, MAX_PAGE_SIZE)) })
  if (status !== undefined) query.set('status', status)
  let left = limit
  for (;;) {
    const path = `/accounts?${query.toString()}`
    const page = await context.operator().ask<Page>('GET', path)
    yield* page.accounts.slice(0, left)
    left -= page.accounts.length
    if (page.nextPageToken === null || left <= 0) return
    query.set('pageToken', page.nextPageToken)
  }
}

/** Adds the commands that disable, close or renew an account. */
function addLife(accounts: Command, around: Surroundings): void {
  const one = (name: string, description: string): Command =>
    accounts
      .command(name)
      .description(description)
      .argument('<accountsid>', 'the sid of the account', sidArgument('AC'))
  acting(
    one('disable', 'Disables an account: ends its calls, refuses its requests.'),
    around,
    async (context, sid = '') => {
      const path = `/accounts/${sid}/disable`
      showRecord(await context.operator().ask<object>('POST', path), context)
    },
  )
  acting(one('enable', 'Enables a disabled account again.'), around, async (context, sid = '') => {
    const path = `/accounts/${sid}/enable`
    showRecord(await context.operator().ask<object>('POST', path), context)
  })
  acting(
    one('delete', 'Closes an account for ever: frees its numbers, deletes its keys.'),
    around,
    (context, sid = '') => context.operator().ask('DELETE', `/accounts/${sid}`),
  )
  acting(
    one('password', 'Gives an account a password for the account API, and prints it.'),
    around,
    async (context, sid = '') => {
      const path = `/accounts/${sid}/password`
      showRecord(await context.operator().ask<object>('POST', path, {}), context)
    },
  )
  const rotate = one('rotate', 'Gives an account a new token, and prints it.').option(
    '--overlap <seconds>',
    'how long the former token is valid too',
    wholeNumber(0, 2_592_000),
    0,
  )
  acting<{ readonly overlap: number }>(rotate, around, async (context, sid = '') => {
    const body = { overlapSeconds: context.flags.overlap }
    const path = `/accounts/${sid}/RotateKey`
    showRecord(await context.operator().ask<object>('POST', path, body), context)
  })
}

function objectOf(text: string | undefined): object {
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Reported below, as for any other text that is not an object.
  }
  throw new UsageError('--data must be a JSON object')
}
