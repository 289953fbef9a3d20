import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { acting, type Context } from '../context.js'
import { FailedError, type Surroundings } from '../surroundings.js'
import { sidArgument, wholeNumber } from '../terminal/arguments.js'
import { showList } from '../terminal/show.js'

const COLUMNS = ['sid', 'call_sid', 'status', 'source', 'channels', 'duration', 'date_created']
const EXAMPLES = `
Examples:
  $ trunkline recordings --call CA…
  $ trunkline recordings download RE… --format mp3 -o talk.mp3
  $ trunkline recordings download RE… -o - | aplay`

interface ListFlags {
  readonly call?: string
  readonly conference?: string
  readonly since?: string
  readonly before?: string
  readonly limit: number
}

interface DownloadFlags {
  readonly format: string
  readonly channels?: string
  readonly output?: string
}

export function addRecordings(program: Command, around: Surroundings): void {
  const recordings = program
    .command('recordings')
    .description('Lists recordings, downloads one, or deletes one.')
    .addHelpText('after', EXAMPLES)
  addList(recordings, around)
  const download = recordings
    .command('download')
    .description('Saves the sound of a recording as a file.')
    .argument('<recordingsid>', 'the sid of the recording', sidArgument('RE'))
    .addOption(new Option('--format <format>').choices(['wav', 'mp3']).default('wav'))
    .addOption(new Option('--channels <number>', 'one or two channels').choices(['1', '2']))
    .option('-o, --output <file>', 'the file; - is standard output; else RE….wav or RE….mp3')
  acting<DownloadFlags>(download, around, downloadRecording)
  const remove = recordings
    .command('delete')
    .description('Deletes a recording and its sound.')
    .argument('<recordingsid>', 'the sid of the recording', sidArgument('RE'))
  acting(remove, around, (context, sid = '') => context.voice().remove(`/Recordings/${sid}.json`))
}

function addList(recordings: Command, around: Surroundings): void {
  const command = recordings
    .command('list', { isDefault: true })
    .description('Lists recordings, the newest first.')
    .option('--call <callsid>', 'only recordings of this call', sidArgument('CA'))
    .option('--conference <sid>', 'only recordings of this conference', sidArgument('CF'))
    .option('--since <date>', 'only recordings made after this day or moment')
    .option('--before <date>', 'only recordings made before this day or moment')
    .option('--limit <number>', 'how many recordings', wholeNumber(1, 1_000_000), 20)
  acting<ListFlags>(command, around, async (context) => {
    const { call, conference, since, before, limit } = context.flags
    const filter = {
      CallSid: call,
      ConferenceSid: conference,
      'DateCreated>': since,
      'DateCreated<': before,
    }
    const found = context.voice().list<object>('/Recordings.json', 'recordings', filter, limit)
    await showList(found, COLUMNS, context)
  })
}

async function downloadRecording(context: Context<DownloadFlags>, sid = ''): Promise<void> {
  const { flags } = context
  const { format, channels, output = `${sid}.${format}` } = flags
  const query = channels === undefined ? '' : `?RequestedChannels=${channels}`
  const path = `/Recordings/${sid}.${format}${query}`
  await saveAnswer(await context.voice().open(path), output, context)
}

/** Saves a body completely or not at all; `-` is standard output. */
export async function saveAnswer(
  answer: Response,
  output: string,
  { complain }: Pick<Surroundings, 'complain'>,
): Promise<void> {
  if (answer.body === null) throw new FailedError('the server sent nothing')
  const body = Readable.fromWeb(answer.body)
  if (output === '-') {
    await pipeline(body, process.stdout, { end: false }).catch((cause: unknown) => {
      throw new FailedError(`the output is not whole: ${String(cause)}`, { cause })
    })
    return
  }
  const part = `${output}.part`
  try {
    await pipeline(body, createWriteStream(part))
    await rename(part, output)
  } catch (cause) {
    await rm(part, { force: true })
    throw new FailedError(`${output} was not saved: ${String(cause)}`, { cause })
  }
  complain(`saved ${resolve(output)}`)
}
