import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { TcpProxy } from '../support/http/tcp-proxy.js'
import { databaseOn, killServer } from '../support/process/postgres-outage.js'
import { startPostgres } from '../support/process/postgres-server.js'
import { smallDisk } from '../support/process/small-disk.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'
import {
  expectEndedOnce,
  expectTalking,
  hangUp,
  longestGapMs,
  startTalkers,
  TALKERS_NUMBER,
  type Talker,
} from '../support/voice/talkers.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

/** Nobody is called: the lab's phone of that number does not exist. */
const FAILING_CALL = { To: '+15005550011', From: '+15005550000', Markup: '<Response/>' }
const CLIENTS = 20
const TALKERS = 4
const KILLED_AFTER = 200
const OUTAGE_MS = 3_000
const BACK_LIMIT_MS = 10_000
/**
 * The silence of a call that waits for its database, whose limits are a second and more. The server
 * begins the tone anew every three seconds, and a busy machine may let it do so late.
 */
const HARM_MS = 900
const POLL = { timeout: 30_000, interval: 50 }
const LIMIT_MS = 120_000

const UNAVAILABLE = { status: 503, body: { code: 20503, status: 503 } }

const create = (trunkline: RunningTrunkline, key: string) =>
  fetch(`${trunkline.http}/2010-04-01/Accounts/${trunkline.account.sid}/Calls.json`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${trunkline.account.sid}:${trunkline.account.secret}`).toString('base64')}`,
      'idempotency-key': key,
    },
    body: new URLSearchParams(FAILING_CALL),
  })

/** A call cannot be created, and the refusal is the documented one. */
async function expectUnavailable(trunkline: RunningTrunkline): Promise<void> {
  expectRefusal(await trunkline.api('POST', '/Calls.json', FAILING_CALL))
}

function expectRefusal(refused: Awaited<ReturnType<RunningTrunkline['api']>>): void {
  expect(refused).toMatchObject(UNAVAILABLE)
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
}

/** Waits for the first call that is taken again; at most 10 s after the database serves. */
async function untilBack(trunkline: RunningTrunkline): Promise<void> {
  const isBack = async () => (await trunkline.api('POST', '/Calls.json', FAILING_CALL)).status
  await expect.poll(isBack, { timeout: BACK_LIMIT_MS, interval: 50 }).toBe(201)
}

const readiness = async ({ http }: RunningTrunkline) => (await fetch(`${http}/readyz`)).status

describe('a PostgreSQL server that is killed under load', () => {
  it(
    'loses no acknowledged write, is used again within 10 s of its return, and harms no live call',
    async () => {
      await using server = await startPostgres()
      await using app = await startVoiceApp()
      await using trunkline = await startTrunkline({ DATABASE_URL: await databaseOn(server) })
      const talkers = await startTalkers(trunkline, app, TALKERS)
      const [leaver, ...stayers] = talkers
      if (leaver === undefined) throw new Error('nobody talks')

      const acknowledged = new Map<string, string>()
      const refusals: { readonly status: number; readonly retryAfter: string | null }[] = []
      let isOver = false
      let count = 0
      const client = async () => {
        while (!isOver) {
          const key = `key-${(count += 1)}`
          const answer = await create(trunkline, key)
          const body = (await answer.json()) as { sid: string }
          if (answer.status === 201) acknowledged.set(key, body.sid)
          else {
            refusals.push({ status: answer.status, retryAfter: answer.headers.get('retry-after') })
            await sleep(50) // A client that heeds a refusal, if not its Retry-After.
          }
        }
      }
      const clients = Array.from({ length: CLIENTS }, client)
      await expect.poll(() => acknowledged.size, POLL).toBeGreaterThan(KILLED_AFTER)
      killServer(server)
      const killedAt = performance.now()
      await expect.poll(() => refusals.length, POLL).toBeGreaterThan(0)
      await expect.poll(() => readiness(trunkline), POLL).toBe(503)
      // A caller who hangs up meanwhile gets an answer; the others hear every packet.
      await hangUp(leaver)
      await sleep(Math.max(0, OUTAGE_MS - (performance.now() - killedAt)))
      await expectTalking(stayers)
      const before = acknowledged.size
      await server.start()
      await expect
        .poll(() => acknowledged.size, { timeout: BACK_LIMIT_MS, interval: 20 })
        .toBeGreaterThan(before)
      await expect.poll(() => readiness(trunkline), POLL).toBe(200)
      isOver = true
      await Promise.all(clients)
      expect(
        refusals.filter(
          ({ status, retryAfter }) => status !== 503 || !/^\d+$/.test(retryAfter ?? ''),
        ),
      ).toEqual([])

      for (const [key, sid] of acknowledged) {
        expect((await trunkline.fetchCall(sid)).sid).toBe(sid)
        expect(await (await create(trunkline, key)).json()).toMatchObject({ sid })
      }
      await expectTalking(stayers)
      expect(longestGapMs(stayers)).toBeLessThan(HARM_MS)
      for (const talker of stayers) await hangUp(talker)
      await expectEndedOnce(trunkline, app, talkers)
      for (const talker of talkers) talker[Symbol.dispose]()
    },
    LIMIT_MS,
  )
})

/** Answers of creates, fetches, callers and the load balancer while the database does not answer. */
async function expectNoHarm(
  trunkline: RunningTrunkline,
  talkers: readonly Talker[],
): Promise<void> {
  const asked = [
    trunkline.api('POST', '/Calls.json', FAILING_CALL),
    trunkline.api('GET', '/Calls.json'),
  ]
  for (const answer of await Promise.all(asked)) expectRefusal(answer)
  const peer = await SipPeer.open()
  const refused = peer.call(trunkline.sipPort, { user: TALKERS_NUMBER })
  expect(headerOf(await refused.response(503, 'INVITE', 20_000), 'retry-after')).toMatch(/^\d+$/)
  peer.close()
  await expect.poll(() => readiness(trunkline), POLL).toBe(503)
  await expectTalking(talkers)
}

/** What the server keeps of its disk for itself. */
const SMALL = ['shared_buffers=16MB', 'min_wal_size=32MB', 'max_wal_size=32MB']
/** Connections that fail soon, so that a test need not wait for the limits of production. */
const IMPATIENT = 'connect_timeout=1&statement_timeout=1000'

describe('a PostgreSQL server that does not serve', () => {
  it(
    'hangs: each request is refused in time, live calls go on, and nothing is lost afterwards',
    async () => {
      await using server = await startPostgres()
      const url = new URL(await databaseOn(server))
      const proxy = await TcpProxy.open(server.port)
      url.port = String(proxy.port)
      url.search = IMPATIENT
      await using app = await startVoiceApp()
      await using trunkline = await startTrunkline({ DATABASE_URL: url.href })
      const talkers = await startTalkers(trunkline, app, 2)
      proxy.stall()
      await expectNoHarm(trunkline, talkers)
      const [leaver, stayer] = talkers
      if (leaver === undefined || stayer === undefined) throw new Error('nobody talks')
      await hangUp(leaver)
      proxy.restore()
      await untilBack(trunkline)
      await expect.poll(() => readiness(trunkline), POLL).toBe(200)
      expect(longestGapMs([stayer])).toBeLessThan(HARM_MS)
      await hangUp(stayer)
      await expectEndedOnce(trunkline, app, talkers)
      for (const talker of talkers) talker[Symbol.dispose]()
      await trunkline[Symbol.asyncDispose]()
      await proxy.close()
    },
    LIMIT_MS,
  )

  it(
    'has every connection of the pool waiting for a lock: refused in time, then served',
    async () => {
      await using server = await startPostgres()
      const url = new URL(await databaseOn(server))
      const locker = new pg.Client({ connectionString: url.href })
      await locker.connect()
      url.search = `pool_size=4&${IMPATIENT}`
      await using app = await startVoiceApp()
      await using trunkline = await startTrunkline({ DATABASE_URL: url.href })
      const talkers = await startTalkers(trunkline, app, 2)
      await locker.query('begin; lock table calls in access exclusive mode')
      const refused = await Promise.all(
        Array.from({ length: 50 }, () => trunkline.api('POST', '/Calls.json', FAILING_CALL)),
      )
      for (const answer of refused) expectRefusal(answer)
      await expectTalking(talkers)
      const [leaver, stayer] = talkers
      if (leaver === undefined || stayer === undefined) throw new Error('nobody talks')
      await hangUp(leaver)
      await locker.query('rollback')
      await locker.end()
      await untilBack(trunkline)
      await hangUp(stayer)
      await expectEndedOnce(trunkline, app, talkers)
      for (const talker of talkers) talker[Symbol.dispose]()
    },
    LIMIT_MS,
  )

  it(
    'has no connection left to give: the server waits for one, and starts no call without',
    async () => {
      await using server = await startPostgres([
        'max_connections=12',
        'superuser_reserved_connections=0',
      ])
      const url = await databaseOn(server)
      await using app = await startVoiceApp()
      await using trunkline = await startTrunkline({
        DATABASE_URL: `${url}?pool_size=4&${IMPATIENT}`,
      })
      const talkers = await startTalkers(trunkline, app, 1)
      // Others take every connection, those of this server included.
      const others: pg.Client[] = []
      const ended =
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1'
      const takeAll = async () => {
        for (;;) {
          const other = new pg.Client({ connectionString: url })
          other.on('error', () => undefined) // Its connection may end before it does.
          try {
            await other.connect()
          } catch {
            return // No connection is left.
          }
          others.push(other)
        }
      }
      // A connection that ends leaves its place a moment later, and the server may be the first to
      // take it: the others have all places when it was found without any for a while.
      let looksWithout = 0
      const isWithout = async () => {
        await takeAll()
        const found = await others[0]?.query(ended, ['trunkline'])
        looksWithout = found?.rowCount === 0 ? looksWithout + 1 : 0
        return looksWithout >= 5
      }
      await waitUntil('the server has no connection', isWithout, LIMIT_MS)
      await expectUnavailable(trunkline)
      await expectTalking(talkers)
      await Promise.all(others.map((other) => other.end()))
      await untilBack(trunkline)
      for (const talker of talkers) await hangUp(talker)
      await expectEndedOnce(trunkline, app, talkers)
      for (const talker of talkers) talker[Symbol.dispose]()
    },
    LIMIT_MS,
  )

  it(
    'has a full disk: new calls are refused, those that run end as they would',
    async ({ skip }) => {
      const disk = smallDisk(256)
      // A server that may not mount a disk has no other way to fill one up.
      if (!('path' in disk)) return skip(`no small disk: ${disk.reason}`)
      using _unmounted = disk
      await using server = await startPostgres(SMALL, disk.path)
      await using app = await startVoiceApp()
      await using trunkline = await startTrunkline({ DATABASE_URL: await databaseOn(server) })
      const talkers = await startTalkers(trunkline, app, 2)
      let refused = await trunkline.api('POST', '/Calls.json', FAILING_CALL)
      const createOnFullDisk = async () => {
        // The server gives room back now and then, from what it had kept for itself.
        disk.fill()
        refused = await trunkline.api('POST', '/Calls.json', FAILING_CALL)
        return refused.status
      }
      await expect.poll(createOnFullDisk, { timeout: 60_000, interval: 0 }).toBe(503)
      expectRefusal(refused)
      await expectTalking(talkers)
      const [leaver, stayer] = talkers
      if (leaver === undefined || stayer === undefined) throw new Error('nobody talks')
      await hangUp(leaver)
      disk.free()
      await untilBack(trunkline)
      expect(longestGapMs([stayer])).toBeLessThan(HARM_MS)
      await hangUp(stayer)
      await expectEndedOnce(trunkline, app, talkers)
      for (const talker of talkers) talker[Symbol.dispose]()
    },
    LIMIT_MS,
  )
})
