import type { Command } from 'commander'
import { acting, type Context } from '../context.js'
import type { CallEvent } from '../servers/call-events.js'
import { FailedError, type Surroundings } from '../surroundings.js'
import { severalTexts, sidArgument } from '../terminal/arguments.js'
import { timelineLine } from '../timeline/timeline-line.js'

const EXAMPLES = `
Examples:
  $ trunkline events                              every event of every call, as it happens
  $ trunkline events --kind warning --kind error
  $ trunkline events --account AC… --token … --json | jq -c .detail

It speaks to the private listener, with the operator's token. Ctrl-C ends it.`

interface EventFlags {
  readonly call?: string
  readonly kind?: readonly string[]
}

export function addEvents(program: Command, around: Surroundings): void {
  const command = program
    .command('events')
    .description('Prints the events of all calls as they happen.')
    .option('--call <callsid>', 'only events of this call', sidArgument('CA'))
    .option('--kind <kind>', 'only events of this kind, such as webhook; repeatable', severalTexts)
    .addHelpText('after', EXAMPLES)
  acting<EventFlags>(command, around, watchEvents)
}

async function watchEvents(context: Context<EventFlags>): Promise<void> {
  const { flags, isJson, isColoured, print } = context
  const signal = context.interrupted()
  const server = context.operator()
  const events = await server.events(signal)
  context.complain(`watching ${server.url}`)
  try {
    for await (const event of events) {
      if (!isWanted(event, flags)) continue
      if (isJson) print(JSON.stringify(event))
      else print(`${clockOf(event)} …${event.callSid.slice(-6)} ${lineOf(event, isColoured)}`)
    }
  } catch (cause) {
    if (signal.aborted) return
    throw new FailedError('the server closed the stream', { cause })
  }
  throw new FailedError('the server closed the stream')
}

function isWanted(event: CallEvent, { call, kind, account }: EventFlags & { account?: string }) {
  return (
    (call === undefined || event.callSid === call) &&
    (kind === undefined || kind.includes(event.kind)) &&
    (account === undefined || event.accountSid === account)
  )
}

const clockOf = ({ at }: CallEvent): string => new Date(at).toISOString().slice(11, 23)

/** A line of the timeline without the relative time. */
function lineOf(event: CallEvent, isColoured: boolean): string {
  return timelineLine(event, { startedAt: event.at, isColoured }).replace(/^\S+ *\S+ +/, '')
}
