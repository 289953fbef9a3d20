import type { Command } from 'commander'
import { acting } from '../context.js'
import type { Surroundings } from '../surroundings.js'
import { sidArgument } from '../terminal/arguments.js'
import { printTimeline } from '../timeline/print-timeline.js'

const EXAMPLES = `
Examples:
  $ trunkline logs CA…                  what has happened so far
  $ trunkline logs CA… --follow         go on until the call is over
  $ trunkline logs CA… --json | jq -r 'select(.kind == "webhook") | .detail.url'`

export function addLogs(program: Command, around: Surroundings): void {
  describeLogs(program.command('logs'), around)
}

/** Makes a command print the event log of a call. */
export function describeLogs(command: Command, around: Surroundings): Command {
  command
    .description(
      'Prints the event log of a call and of the calls that it dialled: SIP messages, webhooks, verbs, digits, warnings, callbacks, with the seconds since the first event.',
    )
    .argument('<callsid>', 'the sid of the call', sidArgument('CA'))
    .option('-f, --follow', 'keep printing until the call is over and its events have come')
    .addHelpText('after', EXAMPLES)
  return acting<{ readonly follow?: boolean }>(command, around, async (context, sid = '') => {
    const { flags, isJson } = context
    const wish = { sid, isFollowing: flags.follow === true, isJson }
    await printTimeline(context.voice(), wish, context)
  })
}
