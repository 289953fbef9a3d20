import { type Command, Option } from 'commander'
import { acting, type Context } from '../context.js'
import type { Form } from '../servers/voice-server.js'
import { FailedError, type Surroundings, UsageError } from '../surroundings.js'
import { severalPairs, wholeNumber } from '../terminal/arguments.js'
import { showRecord } from '../terminal/show.js'
import type { ShownCall } from '../timeline/event-reader.js'
import { printTimeline } from '../timeline/print-timeline.js'

const EXAMPLES = `
Examples:
  $ trunkline call +15005550001 --from +15005550000 --say 'Hello from your own telephone system.'
  $ trunkline call sip:desk@192.0.2.7 --from +15551112222 --voice-url https://example.com/voice
  $ trunkline call +15551112222 --from +15553334444 --say 'Hi.' --param MachineDetection=Enable
  $ trunkline call +15005550003 --from +15005550000 --say 'Hi.' --no-follow --json | jq -r .sid

The exit code is 1 when the call was busy, failed, was not answered or was canceled. Ctrl-C ends the
command and not the call; \`trunkline calls end CA…\` ends the call.`

interface CallFlags {
  readonly from: string
  readonly say?: string
  readonly markup?: string
  readonly voiceUrl?: string
  readonly record?: boolean
  readonly timeout?: number
  readonly param?: Readonly<Record<string, string>>
  readonly follow: boolean
}

export function addCall(program: Command, around: Surroundings): void {
  const command = program
    .command('call')
    .description('Places a call, and prints what happens until it is over.')
    .argument('<to>', 'a number such as +15005550001, or a SIP URI')
    .requiredOption('--from <number>', 'the number that is calling')
    .addOption(new Option('--say <text>', 'a sentence to speak').conflicts(['markup', 'voiceUrl']))
    .addOption(new Option('--markup <xml>', 'the markup to run').conflicts('voiceUrl'))
    .option('--voice-url <url>', 'the URL of your application, which answers with markup')
    .option('--record', 'record the call from its start')
    .option('--timeout <seconds>', 'how long it may ring', wholeNumber(1, 600))
    .option('--param <Name=value>', 'any other field of the API; may be repeated', severalPairs)
    .option('--no-follow', 'print the call as it was made, and end')
    .addHelpText('after', EXAMPLES)
  acting<CallFlags>(command, around, placeCall)
}

async function placeCall(context: Context<CallFlags>, to = ''): Promise<void> {
  const { flags, isJson, interrupted } = context
  const server = context.voice()
  const call = await server.post<ShownCall>('/Calls.json', formOf(to, flags))
  if (!flags.follow) {
    showRecord(call, context)
    return
  }
  const last = await printTimeline(server, { sid: call.sid, isFollowing: true, isJson }, context)
  if (last.status !== 'completed' && !interrupted().aborted) throw new FailedError('')
}

function formOf(to: string, flags: CallFlags): Form {
  const { from, say, markup, voiceUrl, record, timeout, param } = flags
  const text = say === undefined ? markup : `<Response><Say>${escaped(say)}</Say></Response>`
  if (text === undefined && voiceUrl === undefined && param?.['ApplicationSid'] === undefined)
    throw new UsageError('one of --say, --markup and --voice-url is needed')
  return {
    To: to,
    From: from,
    Markup: text,
    Url: voiceUrl,
    Record: record === true ? 'true' : undefined,
    Timeout: timeout?.toString(),
    ...param,
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
