import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLab } from '../support/media/lab.js'
import { commandLog } from '../support/process/command-log.js'
import { tempFolder } from '../support/process/temp-folder.js'

const DEMO = new URL('../../dist/cli/demo.js', import.meta.url).pathname
const MAIN = new URL('../../dist/main.js', import.meta.url).pathname

it('the demo places a whole call and keeps what the callee heard', async () => {
  using folder = tempFolder()
  const { code, printed } = await demo(folder.path)
  expect(code, printed).toBe(0)
  const heard = join(folder.path, 'demo-output/heard-by-callee.wav')
  expect(existsSync(heard) && statSync(heard).size, printed).toBeGreaterThan(8_000)
})

it('the demo places its call on the servers that DRACHTIO_URL and FREESWITCH_URL name', async () => {
  using folder = tempFolder()
  const commandLogFile = join(folder.path, 'commands')
  // A lab of the test's own in their place: it speaks the protocols of both.
  await using lab = await openLab({ commandLogFile })
  const { code, printed } = await demo(folder.path, {
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
  })
  expect(code, printed).toBe(0)
  expect(existsSync(join(folder.path, 'demo-output/heard-by-callee.wav')), printed).toBe(true)
  expect(commandLog(commandLogFile)().map(({ shape }) => shape)).toContainEqual(
    expect.stringContaining('playback'),
  )
})

/** Runs the demo to its end, in the folder. */
async function demo(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const child = spawn(process.execPath, [DEMO], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const [code] = (await once(child, 'exit')) as [number | null]
  return { code, printed }
}

it('the first start makes an account, says it once, and its credentials work', async () => {
  using folder = tempFolder()
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], HTTP_PORT: '0', ADMIN_PORT: '0', SIP_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const account = () => /AccountSid (AC[0-9a-f]{32})\s+AuthToken\s+([0-9a-f]{32})/.exec(printed)
    await expect.poll(account, { timeout: 20_000 }).not.toBeNull()
    const [, sid = '', token = ''] = account() ?? []
    const address = () => /"http":"([^"]+)"/.exec(printed)?.[1] ?? ''
    await expect.poll(address).not.toBe('')
    const http = address()
    const answer = await fetch(`${http}/2010-04-01/Accounts/${sid}/Calls.json`, {
      headers: { authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}` },
    })
    expect(await answer.json()).toMatchObject({ calls: [] })
  } finally {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
})
