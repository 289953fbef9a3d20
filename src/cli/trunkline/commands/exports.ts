import type { Command } from 'commander'
import { pause } from '../../../platform/async/sleep.js'
import { acting, type Context } from '../context.js'
import { FailedError, type Surroundings } from '../surroundings.js'
import { showRecord, showRecords } from '../terminal/show.js'
import { saveAnswer } from './recordings.js'

const EXAMPLES = `
Examples:
  $ trunkline exports                               the archives of the last year
  $ trunkline exports build 2026-11-21              have one made now, and wait for it
  $ trunkline exports download 2026-11-21 -o day.tar`

const POLL_MS = 500

interface Job {
  readonly status: string
  readonly progress: number
}

export function addExports(program: Command, around: Surroundings): void {
  const exports = program
    .command('exports')
    .description("Lists the archives of the account's days, builds one, or downloads one.")
    .addHelpText('after', EXAMPLES)
  const list = exports
    .command('list', { isDefault: true })
    .description('Lists the archives of the last year.')
  acting(list, around, async (context) => {
    const answer = await context.voice().get<{ exports: object[] }>('/Exports.json')
    showRecords(answer.exports, ['date', 'size', 'uri'], context)
  })
  const build = exports
    .command('build')
    .description('Has the archive of a day built, also anew, and waits for it.')
    .argument('<date>', 'a UTC day that is over, such as 2026-11-21')
  acting(build, around, buildExport)
  const download = exports
    .command('download')
    .description('Saves the archive of a day as a file.')
    .argument('<date>', 'the UTC day')
    .option('-o, --output <file>', 'the file; - is standard output; else DATE.tar')
  acting<{ readonly output?: string }>(download, around, downloadExport)
}

async function buildExport(context: Context<object>, date = ''): Promise<void> {
  const server = context.voice()
  const path = `/Exports/${encodeURIComponent(date)}/Job.json`
  let job = await server.post<Job>(path, {})
  for (let shown = -1; job.status === 'queued' || job.status === 'building'; ) {
    if (job.progress !== shown) context.complain(`${job.status}, ${job.progress} %`)
    shown = job.progress
    await pause(POLL_MS)
    job = await server.get<Job>(path)
  }
  showRecord(job, context)
  if (job.status !== 'completed') throw new FailedError('')
}

async function downloadExport(
  context: Context<{ readonly output?: string }>,
  date = '',
): Promise<void> {
  const answer = await context.voice().open(`/Exports/${encodeURIComponent(date)}`)
  const link = answer.headers.get('location')
  if (link === null) throw new FailedError('the server sent no link')
  const archive = await fetch(link)
  if (!archive.ok) throw new FailedError(`the archive answered ${archive.status}`)
  await saveAnswer(archive, context.flags.output ?? `${date}.tar`, context)
}
