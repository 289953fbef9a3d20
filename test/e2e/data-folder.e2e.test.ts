import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../support/process/temp-folder.js'
import { startTrunkline } from '../support/process/trunkline.js'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const START_LIMIT_MS = 50_000

/** Starts a server that is expected not to come up; resolves with its exit code and what it printed. */
async function failToStart(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], HTTP_PORT: '0', ADMIN_PORT: '0', SIP_PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: START_LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, printed }
}

/** The names of the files in the folder, at any depth. */
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .toSorted()

it('a second server on one data folder does not start, says who holds it, and ends no call', async () => {
  await using first = await startTrunkline()
  const dataDir = join(first.folder, 'data')
  const call = await first.createCall({
    To: '+15005550002',
    From: '+15005550000',
    Markup: '<Response><Pause length="60"/></Response>',
  })
  await expect
    .poll(async () => (await first.fetchCall(call.sid)).status, { timeout: 20_000 })
    .toBe('in-progress')
  const before = filesIn(dataDir)

  const second = await failToStart({ DATA_DIR: dataDir })
  expect(second.code).toBe(1)
  expect(second.printed).toContain('DATA_DIR')
  expect(second.printed).toContain(`pid ${String(first.server.process.pid)}`)
  expect(second.printed).toContain(first.http)
  expect(second.printed).toMatch(/since \d{4}-\d\d-\d\dT/)
  expect(second.printed, 'no stack trace').not.toMatch(/\n\s+at /)
  expect(filesIn(dataDir)).toEqual(before)

  expect((await first.fetchCall(call.sid)).status).toBe('in-progress')
})

/** Takes connections and answers nothing, as a machine behind a broken firewall does. */
async function openSilentServer(): Promise<Server> {
  const silent = createServer(() => undefined)
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  return silent
}

it.each([
  ['does not run', false, /ECONNREFUSED/],
  ['does not answer', true, /not done with it yet/],
])('a start that waits for a PostgreSQL that %s says so', async (_title, isSilent, reason) => {
  using folder = tempFolder()
  const silent = await openSilentServer()
  // A TCP listener's address is an object.
  const { port } = silent.address() as AddressInfo
  if (!isSilent) silent.close()
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env['PATH'],
      ...{ HTTP_PORT: '0', ADMIN_PORT: '0', SIP_PORT: '0', DATA_DIR: join(folder.path, 'data') },
      DATABASE_URL: `postgres://trunk:hush@127.0.0.1:${port}/calls`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
  })
  try {
    await expect
      .poll(() => printed, { timeout: 15_000 })
      .toContain('the start waits for PostgreSQL')
    expect(printed).toContain(`PostgreSQL trunk@127.0.0.1:${port}/calls`)
    expect(printed).toContain('DATABASE_URL')
    expect(printed).toMatch(reason)
    expect(printed).not.toContain('hush')
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    silent.close()
  }
})

it('what a server makes in a folder that is open to everybody is open to its user alone', async () => {
  using folder = tempFolder()
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  await using server = await startTrunkline({ DATA_DIR: dataDir })
  const call = await server.createCall({
    To: '+15005550002',
    From: '+15005550000',
    Record: 'true',
    Markup: '<Response><Say>Hello</Say></Response>',
  })
  await expect
    .poll(async () => (await server.fetchCall(call.sid)).status, { timeout: 20_000 })
    .toBe('completed')
  // FreeSWITCH writes recordings with a umask of its own, in a folder that nobody else may enter.
  const open = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('recordings/'))
    .filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0)
  expect(open).toEqual([])
  expect(filesIn(dataDir).filter((file) => file.endsWith('.wav'))).not.toEqual([])
})

it('a killed server leaves no lock behind', async () => {
  using folder = tempFolder()
  const env = { DATA_DIR: join(folder.path, 'data') }
  {
    await using first = await startTrunkline(env)
    first.server.process.kill('SIGKILL')
    await once(first.server.process, 'exit')
  }
  await using second = await startTrunkline(env)
  expect((await fetch(`${second.http}/healthz`)).status).toBe(200)
})

it.each([
  'HTTP',
  'ADMIN',
  'SIP',
])('a server whose address is taken says that %s_PORT is the setting', async (name) => {
  using folder = tempFolder()
  await using other = await startTrunkline()
  const port = name === 'SIP' ? String(other.sipPort) : new URL(other.http).port
  const failed = await failToStart({
    DATA_DIR: join(folder.path, 'data'),
    [`${name}_PORT`]: port,
  })
  expect(failed.code).toBe(1)
  expect(failed.printed).toContain(
    `did not start:\n${name}_HOST, ${name}_PORT: cannot listen at 127.0.0.1:${port}: another program`,
  )
  expect(failed.printed).not.toContain('"level":60')
})

it('a server whose SIP address is none of the machine says that SIP_HOST is the setting', async () => {
  using folder = tempFolder()
  const failed = await failToStart({
    DATA_DIR: join(folder.path, 'data'),
    SIP_HOST: '192.0.2.1',
    SIP_PORT: '0',
  })
  expect(failed.printed).toContain(
    'did not start:\nSIP_HOST, SIP_PORT: cannot listen at 192.0.2.1:0: this machine has no such address',
  )
  expect(failed.printed).not.toContain('"level":60')
})
