import { type Command, InvalidArgumentError } from 'commander'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'
import { wholeNumber } from '../terminal/arguments.js'
import { showRecords } from '../terminal/show.js'

const COLUMNS = ['last', 'calls', 'method', 'source', 'to', 'status', 'reason']
const EXAMPLES = `
Examples:
  $ trunkline refused                          the last 50, the newest first
  $ trunkline refused --address 198.51.100.7   those of one sender
  $ trunkline refused --since 2h --status 404
  $ trunkline refused --json | jq .userAgent

A refused INVITE is no call yet: it is not in \`trunkline calls\`. Equal refusals of an hour are one line.
It speaks to the private listener, with the operator's token.`

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

interface RefusedFlags {
  readonly address?: string
  readonly to?: string
  readonly status?: number
  readonly since?: number
  readonly limit: number
}

export function addRefused(program: Command, around: Surroundings): void {
  const refused = program
    .command('refused')
    .description(
      'Lists the INVITEs that were refused before they were calls, the refused REGISTERs, and why.',
    )
    .option('--address <ip>', 'only those from this IP address')
    .option('--to <uri>', 'only those to this URI')
    .option(
      '--status <status>',
      'only those with this SIP status; 0: no response',
      wholeNumber(0, 699),
    )
    .option('--since <time>', 'only those of this time: 30m, 2h, 7d', durationMs)
    .option('--limit <number>', 'how many', wholeNumber(1, 1_000), 50)
    .addHelpText('after', EXAMPLES)
  acting<RefusedFlags>(refused, around, async (context) => {
    const { address, to, status, since, limit } = context.flags
    const query = new URLSearchParams({ limit: String(limit) })
    if (address !== undefined) query.set('address', address)
    if (to !== undefined) query.set('to', to)
    if (status !== undefined) query.set('status', String(status))
    if (since !== undefined) query.set('since', String(Date.now() - since))
    const path = `/refused-calls?${query.toString()}`
    const answer = await context.operator().ask<{ refusedCalls: Refused[] }>('GET', path)
    const shown = answer.refusedCalls.map((each) => (context.isJson ? each : rowOf(each)))
    showRecords(shown, COLUMNS, context)
  })
}

interface Refused {
  readonly lastAt: number
  readonly source: string | null
  readonly status: number | null
}

/** Converts a refused call to a row of the table. */
function rowOf(refused: Refused): object {
  const { lastAt, source, status } = refused
  return {
    ...refused,
    last: new Date(lastAt).toISOString().slice(0, 19),
    source: source ?? 'many',
    status: status ?? 'none',
  }
}

function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? []
  if (unit === 'm' || unit === 'h' || unit === 'd') return Number(count) * UNITS[unit]
  throw new InvalidArgumentError('It must be a number with m, h or d: 30m, 2h, 7d.')
}
