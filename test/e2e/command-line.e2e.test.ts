import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/process/free-port.js'
import { IS_LAB, realServers } from '../support/process/real-servers.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const COMMAND = new URL('../../dist/cli/trunkline.js', import.meta.url).pathname

let trunkline: RunningTrunkline
let app: VoiceApp
/** The settings that name real servers, where the tests run on such. */
let ofServers: Readonly<Record<string, string>>

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  ofServers = (await realServers())?.env ?? {}
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const settings = () => ({
  PATH: process.env['PATH'],
  DATA_DIR: join(trunkline.folder, 'data'),
  FIRST_ACCOUNT_SID: trunkline.account.sid,
  FIRST_ACCOUNT_TOKEN: trunkline.account.secret,
  ADMIN_TOKEN: trunkline.adminToken,
  ...ofServers,
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the built command as a shell does. The server's ports are noted in its DATA_DIR. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const options = { env: { ...settings(), ...env }, timeout: 40_000 }
  return promisify(execFile)(COMMAND, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    (error: unknown) => {
      // As execFile rejects after the command's own exit.
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, out: stdout, err: stderr }
    },
  )
}

/** The records that a command printed as JSON, one a line. */
function records(out: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = out.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
}

it('places a call, follows it to its end, and lists it, its log and its recording', async () => {
  const placed = await run([
    ...['call', '+15005550003', '--from', '+15005550000'],
    ...['--say', 'One, two, three.', '--record'],
  ])
  expect(placed).toMatchObject({ code: 0, err: '' })
  expect(placed.out).toMatch(/→ INVITE[^]*in-progress[^]*<Say>[^]*\ncompleted, \d+ s\n$/)

  const [call] = records((await run(['calls', '--limit', '1', '--json'])).out)
  expect(call).toMatchObject({ to: '+15005550003', status: 'completed' })
  const sid = String(call?.['sid'])
  expect((await run(['logs', sid])).out).toContain('→ INVITE')
  expect(records((await run(['logs', sid, '--json'])).out)).toContainEqual(
    expect.objectContaining({ callSid: sid, kind: 'verb' }),
  )

  const recorded = async () =>
    records((await run(['recordings', '--call', sid, '--json'])).out)[0] ?? {}
  await expect.poll(recorded).toMatchObject({ call_sid: sid, status: 'completed' })
  const recording = await recorded()
  const file = join(trunkline.folder, 'talk.wav')
  const saved = await run(['recordings', 'download', String(recording['sid']), '-o', file])
  expect(saved).toMatchObject({ code: 0, out: '' })
  expect(readFileSync(file).subarray(0, 4).toString()).toBe('RIFF')
})

it('says with its exit code that a call was not taken', async () => {
  const busy = await run(['call', '+15005550005', '--from', '+15005550000', '--say', 'Hello.'])
  expect(busy).toMatchObject({ code: 1, err: '' })
  expect(busy.out).toContain('busy')
})

it('ends a call that it only placed', async () => {
  // 0007 rings and is never picked up.
  const args = ['call', '+15005550007', '--from', '+15005550000', '--say', 'x', '--no-follow']
  const [call] = records((await run([...args, '--json'])).out)
  expect(await run(['calls', 'end', String(call?.['sid'])])).toMatchObject({ code: 0 })
  expect((await run(['calls', 'show', String(call?.['sid'])])).out).toMatch(/^status +\S+$/m)
})

it('routes a number and shows its call in the stream of events', async () => {
  const assigned = ['numbers', 'assign', '+15551112222', '--voice-url', `${app.url}/voice`]
  expect(await run(assigned)).toMatchObject({ code: 0 })
  expect((await run(['numbers'])).out).toContain('+15551112222')

  const args = ['events', '--json', '--kind', 'status']
  const watcher = spawn(COMMAND, args, { env: settings() })
  const seen: string[] = []
  createInterface({ input: watcher.stdout }).on('line', (line) => seen.push(line))
  await new Promise<void>((resolve) => {
    createInterface({ input: watcher.stderr }).once('line', () => {
      resolve()
    })
  })
  const call = await trunkline.createCall({
    ...{ To: '+15005550001', From: '+15005550000', Markup: '<Response/>' },
  })
  // A call of the test before may end only now.
  await expect
    .poll(() => records(seen.join('\n')))
    .toContainEqual(expect.objectContaining({ callSid: call.sid, kind: 'status' }))
  const ended = new Promise((resolve) => watcher.once('exit', resolve))
  watcher.kill('SIGINT')
  expect(await ended).toBe(0)
  expect(await run(['numbers', 'release', '+15551112222'])).toMatchObject({ code: 0 })
})

it('lets an account claim a number, bind it, list it and give it back, without the operator', async () => {
  const number = '+14155550177'
  const asAccount = (...args: string[]) => run(['numbers', ...args, '--json'], { ADMIN_TOKEN: '' })
  const claimed = await asAccount('claim', number, '--voice-url', `${app.url}/voice`)
  expect(claimed).toMatchObject({ code: 0, err: '' })
  expect(await asAccount('bind', number, '--voice-method', 'GET')).toMatchObject({ code: 0 })
  const [held] = records((await asAccount('own')).out)
  expect(held).toMatchObject({
    phone_number: number,
    voice_url: `${app.url}/voice`,
    voice_method: 'GET',
  })
  expect(await asAccount('give-back', number)).toMatchObject({ code: 0, out: '' })
  expect((await asAccount('own')).out).toBe('')
  expect(await asAccount('search', '--area-code', '415')).toMatchObject({ code: 0, out: '' })
})

it('tells what a server lacks, and asks a webhook as a call would', async () => {
  app.page('/voice', '<Say>Hello.</Say><Hangup/>')
  const fit = await run(['doctor', '--webhook', `${app.url}/voice`])
  expect(fit.err).toBe('')
  expect(fit.code, fit.out).toBe(0)
  for (const subject of ['settings', 'disk', 'database', 'server', 'media'])
    expect(fit.out).toMatch(new RegExp(`^ok +${subject} `, 'm'))
  // The lab means to be on loopback. Real servers that are cannot be reached by a carrier.
  for (const subject of ['Contact', 'SDP'])
    expect(fit.out).toMatch(new RegExp(`^${IS_LAB ? 'ok' : 'warn'} +${subject} `, 'm'))
  if (IS_LAB) {
    expect(fit.out).toContain(`OPTIONS to 127.0.0.1:${trunkline.sipPort} got 200`)
    expect(fit.out).toContain(`sip:…@127.0.0.1:${trunkline.sipPort}: only programs`)
  }
  expect(fit.out).toMatch(/^ok +webhook +.* answered 200 in \d+ ms with Say, Hangup$/m)

  const closed = `http://127.0.0.1:${await freePort()}/`
  const unfit = await run(['doctor', '--json', '--webhook', closed])
  expect(unfit.code).toBe(1)
  expect(records(unfit.out)).toContainEqual(
    expect.objectContaining({
      level: 'fail',
      subject: 'webhook',
      advice: expect.any(String) as string,
    }),
  )
})

it('says in one line that no server runs', async () => {
  const port = await freePort()
  const { code, out, err } = await run(['calls'], { HTTP_PORT: String(port) })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^no server answers at http:\/\/127\.0\.0\.1:\d+ .*\n$/)
})

it('starts a server, which ends when it is told to', async () => {
  using folder = tempFolder()
  const env = {
    PATH: process.env['PATH'],
    ...{ HTTP_PORT: '0', ADMIN_PORT: '0', SIP_PORT: '0', DRAIN_SECONDS: '0' },
    DATA_DIR: join(folder.path, 'data'),
    LOG_LEVEL: 'error',
  }
  const server = spawn(COMMAND, ['start'], { env })
  const lines = createInterface({ input: server.stdout })
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('voice API')) resolve()
    })
  })
  const { out } = await run(['calls', '--json'], {
    DATA_DIR: env.DATA_DIR,
    FIRST_ACCOUNT_SID: '',
    FIRST_ACCOUNT_TOKEN: '',
  })
  expect(out).toBe('')
  expect(existsSync(join(env.DATA_DIR, 'first-account.json'))).toBe(true)
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  expect(await ended).toBe(0)
})

it('ends with 1 when the server does not start', async () => {
  const { code, out, err } = await run(['start'], { HTTP_PORT: 'x' })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain('HTTP_PORT: must be a port')
})
