import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fillCalls } from '../bench/fill-calls.js'
import { runCommand, startCommand } from '../support/process/command-line.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'

const POLL = { timeout: 20_000, interval: 50 }
/** Enough that the backup takes some seconds at the slowest rates. */
const STORED_CALLS = 15_000
const RATE_MB = '4'

const account = () => ({
  FIRST_ACCOUNT_SID: `AC${randomBytes(16).toString('hex')}`,
  FIRST_ACCOUNT_TOKEN: randomBytes(16).toString('hex'),
})

/** The subscription of the registry with its secret, which only the vault's key opens. */
async function subscription(trunkline: RunningTrunkline, body?: object): Promise<unknown> {
  const answer = await fetch(`${trunkline.http}/v2/csp/webhook/subscription`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: {
      authorization: `Bearer ${trunkline.account.secret}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(answer.status).toBe(200)
  return await answer.json()
}

it('a backup is made while calls run, and a lost machine is replaced by it alone', async () => {
  using folder = tempFolder()
  const backup = join(folder.path, 'backup.db')
  const settings = account()
  const lost = join(folder.path, 'lost')
  const acknowledged: string[] = []
  let secrets: unknown
  {
    await using trunkline = await startTrunkline({ ...settings, DATA_DIR: lost })
    const filled = { accountSid: settings.FIRST_ACCOUNT_SID, from: 0, until: STORED_CALLS }
    fillCalls(join(lost, 'trunkline.db'), { ...filled, startAt: 1_700_000_000_000 })
    await subscription(trunkline, { eventCategory: 'BRAND', webhookEndpoint: 'http://127.0.0.1/e' })
    secrets = await subscription(trunkline)
    expect(JSON.stringify(secrets)).toContain('signingSecret')
    const place = async () =>
      (
        await trunkline.createCall({
          To: '+15005550003',
          From: '+15005550000',
          Markup: '<Response><Pause length="1"/></Response>',
        })
      ).sid
    for (let call = 0; call < 10; call += 1) acknowledged.push(await place())

    const command = startCommand(['database', 'backup', backup, '--rate', RATE_MB, '--json'], {
      DATA_DIR: lost,
    })
    await waitUntil('a part is copied', () => command.err().includes('"bytes"'), POLL.timeout)
    // Held in the middle of its copy, however slow this machine is.
    command.process.kill('SIGSTOP')
    const meanwhile: string[] = []
    for (let call = 0; call < 4; call += 1) meanwhile.push(await place())
    expect(existsSync(backup)).toBe(false)
    command.process.kill('SIGCONT')
    do meanwhile.push(await place())
    while (!existsSync(backup))
    const made = await command.ended
    expect(made.code, made.err).toBe(0)
    expect(JSON.parse(made.out)).toMatchObject({
      file: backup,
      files: expect.arrayContaining(['vault.key', 'node-id', 'first-account.json']) as unknown,
    })
    for (const sid of [...acknowledged, ...meanwhile])
      await expect.poll(async () => (await trunkline.fetchCall(sid)).status, POLL).toBe('completed')
  }

  const found = join(folder.path, 'found')
  const restored = await runCommand(['database', 'restore', backup], { DATA_DIR: found })
  expect(restored.code, restored.err).toBe(0)
  expect(restored.out).toContain('copy recordings, files, registry, ports back')
  await using trunkline = await startTrunkline({ ...settings, DATA_DIR: found })
  // Those that were live are over: their process is gone.
  for (const sid of acknowledged)
    await expect
      .poll(async () => (await trunkline.fetchCall(sid)).status, POLL)
      .toMatch(/^(completed|failed|canceled)$/)
  const { body } = await trunkline.api('GET', '/Calls.json?PageSize=1')
  expect(Number(body['total'])).toBeGreaterThanOrEqual(STORED_CALLS + acknowledged.length)
  expect(await subscription(trunkline)).toEqual(secrets)
}, 120_000)

it('a restore waits for no running server, and leaves the former database beside the new one', async () => {
  using folder = tempFolder()
  const settings = account()
  const dataDir = join(folder.path, 'data')
  const backup = join(folder.path, 'backup.db')
  const call = { To: '+15005550011', From: '+15005550000', Markup: '<Response/>' }
  let early: string
  {
    await using trunkline = await startTrunkline({ ...settings, DATA_DIR: dataDir })
    early = (await trunkline.createCall(call)).sid
    mkdirSync(join(dataDir, 'ports'), { recursive: true })
    const made = await runCommand(['database', 'backup', backup], { DATA_DIR: dataDir })
    expect(made.code).toBe(0)
    expect(made.out).toContain('ports/ (letters of authorisation)')
    const nowhere = join(folder.path, 'nowhere')
    const lost = await runCommand(['database', 'backup', `${nowhere}/b`], { DATA_DIR: dataDir })
    expect(lost).toMatchObject({ code: 1, out: '' })
    expect(lost.err.trim()).toBe(`there is no folder ${nowhere}: make it first`)
    await trunkline.createCall(call)
    const refused = await runCommand(['database', 'restore', backup], { DATA_DIR: dataDir })
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain('belongs to another running trunkline')
    expect((await trunkline.fetchCall(early)).sid).toBe(early)
  }
  const restored = await runCommand(['database', 'restore', backup], { DATA_DIR: dataDir })
  expect(restored.code, restored.err).toBe(0)
  const [former = ''] = readdirSync(dataDir).filter((name) => name.includes('.before-'))
  expect(restored.out).toContain(former)
  await using trunkline = await startTrunkline({ ...settings, DATA_DIR: dataDir })
  expect((await trunkline.api('GET', '/Calls.json')).body).toMatchObject({
    total: 1,
    calls: [{ sid: early }],
  })
})

it('with PostgreSQL both say which tool does it', async () => {
  const env = { DATABASE_URL: 'postgres://u:p@127.0.0.1/x' }
  for (const verb of ['backup', 'restore']) {
    const { code, err } = await runCommand(['database', verb, 'x.db'], env)
    expect(code).toBe(1)
    expect(err).toMatch(/pg_(dump|restore), and copy DATA_DIR, which has the keys/)
  }
})
