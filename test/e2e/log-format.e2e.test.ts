import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../support/process/free-port.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { waitUntil } from '../support/time/wait-until.js'

const COMMAND = new URL('../../dist/cli/trunkline.js', import.meta.url).pathname

/** Runs `trunkline start` beside servers that are not there, until both are reported; returns its log. */
async function logOfOutage(
  isTerminal: boolean,
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  using folder = tempFolder()
  const closed = await freePort()
  const env = {
    PATH: process.env['PATH'],
    ...{ HTTP_PORT: '0', ADMIN_PORT: '0', DRAIN_SECONDS: '0' },
    DATA_DIR: join(folder.path, 'data'),
    DRACHTIO_URL: `tcp://:secret@127.0.0.1:${closed}`,
    FREESWITCH_URL: `tcp://:secret@127.0.0.1:${closed}`,
    ...settings,
  }
  const child = isTerminal
    ? spawn('script', ['-qec', `${process.execPath} ${COMMAND} start`, '/dev/null'], { env })
    : spawn(process.execPath, [COMMAND, 'start'], { env })
  let log = ''
  const read = (chunk: Buffer) => {
    log += chunk.toString('utf8')
  }
  child.stderr.on('data', read)
  if (isTerminal) child.stdout.on('data', read)
  const exited = once(child, 'exit')
  try {
    const reports = () => log.match(/could not connect; retrying/g)?.length ?? 0
    await waitUntil(
      'both outages are reported',
      () => reports() >= 2,
      30_000,
      () => [log],
    )
  } finally {
    // Ctrl-C, as a person types it.
    if (isTerminal) child.stdin.write('\u0003')
    else child.kill('SIGTERM')
  }
  await exited
  return log
}

it('is for people on a terminal: short lines without stacks', async () => {
  const log = await logOfOutage(true, { NO_COLOR: '1' })
  expect(log).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} ERROR could not connect; retrying: .*fault=unreachable/m,
  )
  expect(log).not.toMatch(/^ {4}at /m)
  expect(log).not.toContain('"level":')
  expect(log).toContain('ECONNREFUSED')
})

it('is JSON in a pipe, with the message and the fault of an expected failure only', async () => {
  const lines = (await logOfOutage(false)).trimEnd().split('\n')
  const read = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const failures = read.filter(({ msg }) => msg === 'could not connect; retrying')
  expect(failures).toHaveLength(2)
  for (const { err, fault } of failures) {
    expect(fault).toBe('unreachable')
    expect(err).toEqual({ message: expect.stringContaining('ECONNREFUSED') as string, fault })
  }
})

it('is what LOG_FORMAT says', async () => {
  expect(await logOfOutage(true, { LOG_FORMAT: 'json' })).toContain('"level":50')
  expect(await logOfOutage(false, { LOG_FORMAT: 'text' })).toMatch(
    / ERROR could not connect; retrying/,
  )
})
