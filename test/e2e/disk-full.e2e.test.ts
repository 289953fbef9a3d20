import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freePort } from '../support/process/free-port.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type SmallDisk, smallDisk } from '../support/process/small-disk.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const NEXT = { To: '+15005550011', From: '+15005550000', Markup: '<Response/>' }
const POLL = { timeout: 20_000, interval: 50 }

/** What makes writing impossible, and possible again. */
interface Disk extends Disposable {
  readonly path: string
  fill(trunkline: RunningTrunkline): void
  free(trunkline: RunningTrunkline): void
}

/** Without the right to mount, a limit to the size of files: SQLite's log cannot grow either. */
function fillableDisk(): Disk {
  const small = smallDisk(48)
  if ('path' in small) return small satisfies SmallDisk
  process.stderr.write(`no small disk (${small.reason}); a limit to file sizes stands in\n`)
  const folder = tempFolder()
  const limit = (trunkline: RunningTrunkline, bytes: number | string) => {
    const pid = String(trunkline.server.process.pid)
    const set = spawnSync('prlimit', ['--pid', pid, `--fsize=${bytes}:unlimited`])
    expect(set.status, set.stderr.toString('utf8')).toBe(0)
  }
  return {
    path: folder.path,
    fill: (trunkline) => {
      limit(trunkline, statSync(join(folder.path, 'data', 'trunkline.db-wal')).size)
    },
    free: (trunkline) => {
      limit(trunkline, 'unlimited')
    },
    [Symbol.dispose]: () => {
      folder[Symbol.dispose]()
    },
  }
}

/** What a load balancer is told. */
async function readiness({ http }: Pick<RunningTrunkline, 'http'>) {
  const answer = await fetch(`${http}/readyz`)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** Writes by the registry's API and by the private listener. */
function otherApis({ http, account, admin, adminToken }: RunningTrunkline): Promise<Response[]> {
  const post = (url: string, key: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return Promise.all([
    post(`${http}/v2/csp/reseller`, account.secret, {
      companyName: 'Example Ltd',
      phone: '+15551112222',
      email: 'office@example.com',
    }),
    post(`${admin}/accounts`, adminToken, { friendlyName: 'another' }),
  ])
}

it('[F45] a full disk refuses new calls, keeps those that run, and is forgotten when it has room', async () => {
  using disk = fillableDisk()
  await using trunkline = await startTrunkline({ DATA_DIR: join(disk.path, 'data') })
  await using app = await startVoiceApp()
  const call = (markup: string) =>
    trunkline.api('POST', '/Calls.json', {
      To: '+15005550002',
      From: '+15005550000',
      Markup: `<Response>${markup}</Response>`,
      StatusCallback: `${app.url}/status`,
      StatusCallbackEvent: 'initiated ringing answered completed',
    })
  const statusOf = async (sid: string) => (await trunkline.fetchCall(sid)).status
  const sidOf = async (markup: string) => String((await call(markup)).body['sid'])

  const lasting = await sidOf('<Pause length="300"/>')
  const ending = await sidOf('<Pause length="300"/>')
  await expect.poll(() => statusOf(lasting), POLL).toBe('in-progress')
  await expect.poll(() => statusOf(ending), POLL).toBe('in-progress')

  expect(await readiness(trunkline)).toMatchObject({ status: 200, body: { disk: 'ok' } })
  disk.fill(trunkline)
  const refusals = await Promise.all(Array.from({ length: 10 }, () => call('<Hangup/>')))
  for (const refused of refusals) {
    expect(refused).toMatchObject({ status: 503, body: { code: 20503, status: 503 } })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  }
  for (const refused of await otherApis(trunkline)) {
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  }
  expect(await readiness(trunkline)).toMatchObject({ status: 503, body: { disk: 'full' } })
  // A call can be ended, is seen as ended, and the other one does not notice.
  expect((await trunkline.api('POST', `/Calls/${ending}`, { Status: 'completed' })).status).toBe(
    200,
  )
  await expect.poll(() => statusOf(ending), POLL).toBe('completed')
  expect(await statusOf(lasting)).toBe('in-progress')
  expect(app.callbacks(ending).at(-1)).not.toMatchObject({ CallStatus: 'completed' })

  disk.free(trunkline)
  // Nothing else is written meanwhile: the check itself finds that there is room.
  await expect.poll(async () => (await readiness(trunkline)).status, POLL).toBe(200)
  const ended = await app.completed(ending)
  expect(ended.filter((params) => params['CallStatus'] === 'completed')).toHaveLength(1)
  await expect.poll(async () => (await call('<Hangup/>')).status, POLL).toBe(201)
  expect((await trunkline.api('POST', `/Calls/${lasting}`, { Status: 'completed' })).status).toBe(
    200,
  )
  await app.completed(lasting)
  await expectNothingLeft(trunkline)
  // What was refused left nothing behind.
  const list = await trunkline.api('GET', '/Calls.json')
  expect(list.body['calls']).toHaveLength(3)
})

it('a server that starts on a full disk is ready once there is room', async ({ skip }) => {
  const disk = smallDisk(48)
  // A limit to the size of files would end with the process that it was set for.
  if (!('path' in disk)) return skip(`no small disk: ${disk.reason}`)
  using _unmounted = disk
  const env = { DATA_DIR: join(disk.path, 'data') }
  await using killed = await startTrunkline(env)
  const call = await killed.createCall({
    ...{ To: '+15005550002', From: '+15005550000', Record: 'true' },
    Markup: '<Response><Pause length="300"/></Response>',
  })
  await expect.poll(async () => (await killed.fetchCall(call.sid)).status, POLL).toBe('in-progress')
  disk.fill()
  const exited = once(killed.server.process, 'exit')
  killed.server.process.kill('SIGKILL')
  await exited

  const { sid, secret } = killed.account
  const port = await freePort()
  const starting = startTrunkline({
    ...env,
    ...{ FIRST_ACCOUNT_SID: sid, FIRST_ACCOUNT_TOKEN: secret, HTTP_PORT: String(port) },
  })
  const front = { http: `http://127.0.0.1:${port}` }
  const early = () => readiness(front).catch(() => undefined) // nobody listens yet
  await expect.poll(early, POLL).toMatchObject({ status: 503, body: { status: 'starting' } })
  disk.free()
  await using again = await starting
  await expect.poll(async () => (await readiness(again)).status, POLL).toBe(200)
  await expect.poll(async () => (await again.fetchCall(call.sid)).status, POLL).toBe('completed')
  expect((await again.api('POST', '/Calls.json', NEXT)).status).toBe(201)
})
