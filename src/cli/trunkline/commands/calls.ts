import { type Command, Option } from 'commander'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'
import { sidArgument, wholeNumber } from '../terminal/arguments.js'
import { showList, showRecord } from '../terminal/show.js'

const STATUSES = [
  ...['queued', 'ringing', 'in-progress', 'completed'],
  ...['busy', 'failed', 'no-answer', 'canceled'],
]
const COLUMNS = ['sid', 'status', 'direction', 'from', 'to', 'duration', 'date_created']
const EXAMPLES = `
Examples:
  $ trunkline calls                                   the newest twenty
  $ trunkline calls --status busy --since 2026-11-01
  $ trunkline calls --limit 1000 --json | jq -r 'select(.duration != null) | .sid'
  $ trunkline calls end CA…                           hang up`

interface ListFlags {
  readonly to?: string
  readonly from?: string
  readonly status?: string
  readonly parent?: string
  readonly since?: string
  readonly before?: string
  readonly limit: number
}

export function addCalls(program: Command, around: Surroundings): void {
  const calls = program
    .command('calls')
    .description('Lists calls, shows one, or ends one.')
    .addHelpText('after', EXAMPLES)
  addList(calls, around)
  const show = calls
    .command('show')
    .description('Shows all fields of a call.')
    .argument('<callsid>', 'the sid of the call', sidArgument('CA'))
  acting(show, around, async (context, sid = '') => {
    showRecord(await context.voice().get<object>(`/Calls/${sid}.json`), context)
  })
  const end = calls
    .command('end')
    .description('Ends a call: hangs up, or cancels it while it rings.')
    .argument('<callsid>', 'the sid of the call', sidArgument('CA'))
  acting(end, around, async (context, sid = '') => {
    const form = { Status: 'completed' }
    showRecord(await context.voice().post<object>(`/Calls/${sid}.json`, form), context)
  })
}

function addList(calls: Command, around: Surroundings): void {
  const command = calls
    .command('list', { isDefault: true })
    .description('Lists calls, the newest first.')
    .option('--to <number>', 'only calls to this number or URI')
    .option('--from <number>', 'only calls from this number or URI')
    .addOption(new Option('--status <status>', 'only calls of this status').choices(STATUSES))
    .option('--parent <callsid>', 'only calls that this call placed', sidArgument('CA'))
    .option('--since <date>', 'only calls that began after this day or moment')
    .option('--before <date>', 'only calls that began before this day or moment')
    .option('--limit <number>', 'how many calls', wholeNumber(1, 1_000_000), 20)
  acting<ListFlags>(command, around, async (context) => {
    const { to, from, status, parent, since, before, limit } = context.flags
    const filter = {
      To: to,
      From: from,
      Status: status,
      ParentCallSid: parent,
      'StartTime>': since,
      'StartTime<': before,
    }
    const found = context.voice().list<object>('/Calls.json', 'calls', filter, limit)
    await showList(found, COLUMNS, context)
  })
}
