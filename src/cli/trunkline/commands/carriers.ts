import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { acting, type Context } from '../context.js'
import { type Surroundings, UsageError } from '../surroundings.js'
import { severalTexts, wholeNumber } from '../terminal/arguments.js'
import { showRecord, showRecords } from '../terminal/show.js'

const COLUMNS = ['name', 'host', 'port', 'prefixes', 'priority', 'weight', 'health', 'registration']
/** Listed fields of a carrier that are not settings. */
const SHOWN_ONLY = ['name', 'state', 'username', 'realm']
const EXAMPLES = `
Examples:
  $ trunkline carriers
  $ trunkline carriers put acme --host sip.acme.example --prefix + --address 198.51.100.0/24
  $ trunkline carriers put acme --host sip.acme.example --username me --password-stdin < secret
  $ trunkline carriers put acme --settings acme.json
  $ trunkline carriers remove acme

These speak to the private listener, with the operator's token.`

interface PutFlags {
  readonly settings?: string
  readonly host?: string
  readonly port?: number
  readonly transport?: string
  readonly prefix?: readonly string[]
  readonly priority?: number
  readonly weight?: number
  readonly address?: readonly string[]
  readonly username?: string
  readonly passwordStdin?: boolean
}

export function addCarriers(program: Command, around: Surroundings): void {
  const carriers = program
    .command('carriers')
    .description('Lists the trunks for calls to the outside, adds one, or removes one.')
    .addHelpText('after', EXAMPLES)
  const list = carriers
    .command('list', { isDefault: true })
    .description('Lists the carriers, with those that are built in.')
  acting(list, around, async (context) => {
    const answer = await context.operator().ask<{ carriers: Carrier[] }>('GET', '/carriers')
    const shown = answer.carriers.map((each) => (context.isJson ? each : rowOf(each)))
    showRecords(shown, COLUMNS, context)
  })
  const put = carriers
    .command('put')
    .description('Adds a carrier, or replaces the one of that name.')
    .argument('<name>', 'letters, digits, - and _')
    .option('--settings <file>', 'a JSON file with all settings, as `--json` lists them')
    .option('--host <host>', 'the host name or address that calls are sent to')
    .option('--port <port>', 'its SIP port', wholeNumber(1, 65_535))
    .addOption(new Option('--transport <transport>').choices(['udp', 'tcp', 'tls', 'dns']))
    .option('--prefix <prefix>', 'a beginning of numbers that it takes; repeatable', severalTexts)
    .option('--priority <number>', 'the lowest is tried first', wholeNumber(0, 1_000))
    .option('--weight <number>', 'its share among equals', wholeNumber(1, 1_000))
    .option('--address <cidr>', 'where its INVITEs come from; repeatable', severalTexts)
    .option('--username <name>', 'the name for digest authentication')
    .option('--password-stdin', 'read the password from standard input')
  acting<PutFlags>(put, around, putCarrier)
  const remove = carriers
    .command('remove')
    .description('Removes a carrier.')
    .argument('<name>', 'its name')
  acting(remove, around, (context, name = '') =>
    context.operator().ask('DELETE', `/carriers/${encodeURIComponent(name)}`),
  )
}

interface Carrier {
  readonly enabled: boolean
  readonly prefixes: readonly string[]
  readonly state: {
    readonly servers: readonly { readonly server: string; readonly state: string }[]
    readonly registration: { readonly state: string } | null
  }
}

/** Converts a carrier to a row of the table. */
function rowOf(carrier: Carrier): object {
  const { enabled, prefixes, state } = carrier
  const health = state.servers.map((each) => each.state).join(',')
  return {
    ...carrier,
    prefixes: prefixes.join(','),
    health: enabled ? health || 'unknown' : 'disabled',
    registration: state.registration?.state ?? '',
  }
}

async function putCarrier(context: Context<PutFlags>, name = ''): Promise<void> {
  const { host, port, transport, prefix, priority, weight, address, username } = context.flags
  const settings = settingsOf(context.flags)
  const given = {
    host,
    port,
    transport,
    prefixes: prefix,
    priority,
    weight,
    addresses: address,
    auth: username === undefined ? undefined : { username, password: passwordOf(context.flags) },
  }
  // Options override the file.
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const carrier = { ...settings, ...own }
  const path = `/carriers/${encodeURIComponent(name)}`
  showRecord(await context.operator().ask<object>('PUT', path, carrier), context)
}

/** The settings in the file, without the listed fields that are not settings. */
function settingsOf({ host, settings }: PutFlags): object {
  if (settings === undefined) {
    if (host === undefined) throw new UsageError('give --host, or --settings with a file')
    return {}
  }
  try {
    const read: unknown = JSON.parse(readFileSync(settings, 'utf8'))
    if (typeof read !== 'object' || read === null) throw new UsageError('not a JSON object')
    return Object.fromEntries(Object.entries(read).filter(([field]) => !SHOWN_ONLY.includes(field)))
  } catch (err) {
    throw new UsageError(`${settings}: ${err instanceof Error ? err.message : String(err)}`)
  }
}

/** Read from standard input: every user of the machine can see the arguments of a process. */
function passwordOf({ passwordStdin }: PutFlags): string {
  if (passwordStdin !== true) throw new UsageError('--username needs --password-stdin')
  return readFileSync(0, 'utf8').replace(/\r?\n$/, '')
}
