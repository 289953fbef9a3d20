import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { acting, type Context } from '../context.js'
import { type Surroundings, UsageError } from '../surroundings.js'
import { sidArgument } from '../terminal/arguments.js'
import { fullLines } from '../timeline/full-messages.js'
import { ladderLines, ladderRows } from '../timeline/ladder.js'
import { crossedNetwork, pcapOf } from '../timeline/pcap.js'
import { printTimeline } from '../timeline/print-timeline.js'
import { fetchFullMessages, fetchSipMessages } from '../timeline/sip-messages.js'

const EXAMPLES = `
Examples:
  $ trunkline logs CA…                  what has happened so far
  $ trunkline logs CA… --follow         go on until the call is over
  $ trunkline logs CA… --sip            the SIP messages between all parties as a ladder
  $ trunkline logs CA… --sip --full     the whole SIP messages, where the operator keeps them
  $ trunkline logs CA… --pcap call.pcap the SIP messages as a capture for Wireshark
  $ trunkline logs CA… --json | jq -r 'select(.kind == "webhook") | .detail.url'`

export function addLogs(program: Command, around: Surroundings): void {
  describeLogs(program.command('logs'), around)
}

interface LogFlags {
  readonly follow?: boolean
  readonly sip?: boolean
  readonly full?: boolean
  readonly pcap?: string
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
  command.addOption(
    new Option('--sip', 'draw the SIP messages of all parties as a ladder').conflicts('follow'),
  )
  command.addOption(
    new Option('--full', 'with --sip: print the whole messages, where the operator keeps them'),
  )
  command.addOption(
    new Option('--pcap <file>', 'write the SIP messages as a capture for Wireshark').conflicts(
      'follow',
    ),
  )
  return acting<LogFlags>(command, around, async (context, sid = '') => {
    const { flags, isJson } = context
    if (flags.full === true && flags.sip !== true) throw new UsageError('--full needs --sip')
    if (flags.sip === true || flags.pcap !== undefined) {
      await showSip(sid, context)
      return
    }
    const wish = { sid, isFollowing: flags.follow === true, isJson }
    await printTimeline(context.voice(), wish, context)
  })
}

/** Writes the capture, and prints the ladder: one line of JSON for each message with `--json`. */
async function showSip(sid: string, context: Context<LogFlags>): Promise<void> {
  const { flags, isJson, print } = context
  const { sip, full, pcap } = flags
  if (pcap !== undefined) {
    const { messages } = await fetchFullMessages(context.voice(), sid)
    // A capture names the parties of a call.
    await writeFile(pcap, pcapOf(messages), { mode: 0o600 })
    const count = messages.filter(crossedNetwork).length
    if (sip !== true && !isJson) print(`${pcap}: ${String(count)} SIP messages`)
  }
  if (sip !== true) return
  if (full === true) {
    const found = await fetchFullMessages(context.voice(), sid)
    for (const line of fullLines(found, isJson)) print(line)
    return
  }
  const messages = await fetchSipMessages(context.voice(), sid)
  const lines = isJson
    ? ladderRows(messages).map((row) => JSON.stringify(row))
    : ladderLines(messages)
  for (const line of lines) print(line)
}
