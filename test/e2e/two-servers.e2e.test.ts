import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startTwoNodes } from '../support/process/two-nodes.js'
import { startSipp } from '../support/sip/sipp.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LEASE_SECONDS = 5
/** A pause that the lease allows, though a busy machine makes the beats around it late. */
const SHORT_PAUSE_MS = 3_000
const POLL = { timeout: 40_000, interval: 200 }
const LIMIT_MS = 120_000
/** As long as the test: the servers under test are started after their callees. */
const SIPP_LIMIT_S = 110

const twoServers = () => startTwoNodes({ NODE_LEASE_SECONDS: String(LEASE_SECONDS) })

/** What a call can be in when its server dies. */
const DOCUMENTS = (app: VoiceApp): readonly string[] => [
  '<Pause length="300"/>',
  `<Play loop="0">${app.url}/tone.wav</Play>`,
  `<Record maxLength="300" timeout="300" action="${app.url}/late"/>`,
  `<Dial action="${app.url}/late"><Conference>room</Conference></Dial>`,
  `<Enqueue action="${app.url}/late">queue</Enqueue>`,
]

async function placeCalls(
  server: RunningTrunkline,
  app: VoiceApp,
  port: number,
  documents: readonly string[],
): Promise<readonly string[]> {
  const sids: string[] = []
  for (const markup of documents) {
    const { sid } = await server.createCall({
      To: `sip:party@127.0.0.1:${port}`,
      From: '+15005550000',
      Markup: `<Response>${markup}</Response>`,
      StatusCallback: `${app.url}/status`,
    })
    sids.push(sid)
  }
  await expect.poll(() => statusesOf(server, sids), POLL).toEqual(sids.map(() => 'in-progress'))
  return sids
}

/** What the calls of a server are in. */
async function inTheMiddle(server: RunningTrunkline) {
  const { conferences_live: rooms, queue_members: queued } = await server.metrics()
  const { body } = await server.api('GET', '/Recordings.json')
  return { rooms, queued, recorded: (body['recordings'] as readonly unknown[]).length }
}

const statusesOf = async (server: RunningTrunkline, sids: readonly string[]) =>
  (await Promise.all(sids.map((sid) => server.fetchCall(sid)))).map(({ status }) => status)

/** The final callbacks so far; `app.completed` waits for the first. */
const endsOf = (app: VoiceApp, sid: string) =>
  app.sink.requests.filter(({ target, params }) => {
    const named = new Map(params)
    return target === '/status' && named.get('CallSid') === sid
  }).length

async function expectEndedOnce(b: RunningTrunkline, app: VoiceApp, sids: readonly string[]) {
  await expect.poll(() => statusesOf(b, sids), POLL).toEqual(sids.map(() => 'completed'))
  for (const sid of sids) {
    const ends = await app.completed(sid)
    expect(ends.map((params) => params['CallStatus'])).toEqual(['completed'])
  }
}

const silent = (server: RunningTrunkline) => server.server.process.kill('SIGSTOP')
const awake = (server: RunningTrunkline) => server.server.process.kill('SIGCONT')

describe('two servers on one database', () => {
  it(
    'one is killed and never returns: the other ends its calls, each with a BYE and one last callback',
    async () => {
      await using app = await startVoiceApp()
      app.page('/late', '')
      const documents = DOCUMENTS(app)
      await using callee = await startSipp({
        scenario: 'uas-answers-and-waits',
        calls: documents.length,
        limitS: SIPP_LIMIT_S,
      })
      await using own = await startSipp({
        scenario: 'uas-answers-and-waits',
        limitS: SIPP_LIMIT_S,
      })
      await using t = await twoServers()
      const sids = await placeCalls(t.a, app, callee.port, documents)
      const ofB = await placeCalls(t.b, app, own.port, ['<Pause length="300"/>'])
      await expect.poll(() => inTheMiddle(t.a), POLL).toEqual({ rooms: 1, queued: 1, recorded: 1 })
      const exited = once(t.a.server.process, 'exit')
      t.a.server.process.kill('SIGKILL')
      await exited
      const killedAt = performance.now()
      await expectEndedOnce(t.b, app, sids)
      expect(performance.now() - killedAt).toBeGreaterThan(1_000 * LEASE_SECONDS)
      await callee.done
      const told = app.sink.requests.flatMap(({ target, params }) =>
        target === '/late' ? [new Map(params).get('QueueResult')] : [],
      )
      expect(told).toEqual(['system-error'])
      // The queue is empty, the room and the recording are over.
      const { body } = await t.b.api('GET', '/Conferences.json?Status=in-progress')
      expect(body['conferences']).toEqual([])
      const recordings = (await t.b.api('GET', '/Recordings.json')).body['recordings']
      expect(recordings).toMatchObject([{ status: 'absent', error_code: 12400 }])
      const queues = (await t.b.api('GET', '/Queues.json')).body['queues']
      expect(queues).toMatchObject([{ current_size: 0 }])
      // The other's own call goes on.
      expect(await statusesOf(t.b, ofB)).toEqual(['in-progress'])
      for (const sid of ofB) await t.b.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
      await own.done
      await expectNothingLeft(t.b)
    },
    LIMIT_MS,
  )

  it(
    'one changes and ends a call of the other when it is asked, and says so only then',
    async () => {
      await using app = await startVoiceApp()
      await using callee = await startSipp({ scenario: 'uas-answers-and-waits', calls: 1 })
      await using t = await twoServers()
      const [sid = ''] = await placeCalls(t.a, app, callee.port, ['<Pause length="300"/>'])
      const changed = await t.b.api('POST', `/Calls/${sid}.json`, {
        Markup: '<Response><Pause length="300"/></Response>',
      })
      expect(changed).toMatchObject({ status: 200, body: { sid, status: 'in-progress' } })
      expect(await statusesOf(t.b, [sid])).toEqual(['in-progress'])
      const ended = await t.b.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
      expect(ended).toMatchObject({ status: 200, body: { sid, status: 'completed' } })
      expect(ended.body['end_time']).not.toBeNull()
      await callee.done
      await app.completed(sid)
      await expectNothingLeft(t.a)
      const again = await t.b.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
      expect(again).toMatchObject({ status: 200, body: { sid, status: 'completed' } })
      expect(endsOf(app, sid)).toBe(1)
    },
    LIMIT_MS,
  )

  it(
    'one is paused: for less than a lease its calls go on, for longer they are over for good',
    async () => {
      await using app = await startVoiceApp()
      await using callee = await startSipp({
        scenario: 'uas-answers-and-waits',
        calls: 2,
        limitS: SIPP_LIMIT_S,
      })
      await using t = await twoServers()
      const pauses = ['<Pause length="300"/>', '<Pause length="300"/>']
      const sids = await placeCalls(t.a, app, callee.port, pauses)
      silent(t.a)
      await sleep(SHORT_PAUSE_MS)
      awake(t.a)
      await sleep(1_000 * LEASE_SECONDS)
      expect(await statusesOf(t.b, sids)).toEqual(sids.map(() => 'in-progress'))
      expect(sids.map((sid) => endsOf(app, sid))).toEqual(sids.map(() => 0))

      silent(t.a)
      await expectEndedOnce(t.b, app, sids)
      await callee.done
      awake(t.a)
      await expectNothingLeft(t.a)
      expect(await statusesOf(t.a, sids)).toEqual(sids.map(() => 'completed'))
      // It is a node like any other again: a new call outlives a lease.
      await using next = await startSipp({ scenario: 'uas-answers-and-waits', calls: 1 })
      const [sid = ''] = await placeCalls(t.a, app, next.port, ['<Pause length="300"/>'])
      await sleep(2_000 * LEASE_SECONDS)
      expect(await statusesOf(t.a, [sid])).toEqual(['in-progress'])
      await t.a.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
      await next.done
      expect(sids.map((each) => endsOf(app, each))).toEqual(sids.map(() => 1))
    },
    LIMIT_MS,
  )
})
