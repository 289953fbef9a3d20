import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { freePort } from '../support/process/free-port.js'
import { killAndRestart } from '../support/process/kill-and-restart.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { pidsOf } from '../support/process/process-memory.js'
import { ENGINE } from '../support/process/test-database.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { type RunningSipp, startSipp } from '../support/sip/sipp.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const CALLS = 50
const NUMBER = '+15551112222'
const KILLED_AFTER = 300
/** Nobody is called: the lab's phone of that number does not exist. */
const FAILING_CALL = { To: '+15005550011', From: '+15005550000', Markup: '<Response/>' }
const POLL = { timeout: 30_000, interval: 50 }
const LIMIT_MS = 120_000

/** Calls to SIPp parties that answer and wait for a BYE, all in progress. */
async function callsTo(
  callee: RunningSipp,
  trunkline: RunningTrunkline,
  app: VoiceApp,
  count: number,
): Promise<readonly string[]> {
  const form = {
    To: `sip:party@127.0.0.1:${callee.port}`,
    From: '+15005550000',
    Markup: '<Response><Pause length="300"/></Response>',
    StatusCallback: `${app.url}/status`,
    StatusCallbackEvent: 'initiated ringing answered completed',
  }
  const made = Array.from({ length: count }, () => trunkline.createCall(form))
  const sids = (await Promise.all(made)).map(({ sid }) => sid)
  const answered = async () => {
    const answer = await trunkline.api('GET', '/Calls.json?Status=in-progress&PageSize=1000')
    return (answer.body['calls'] as unknown[]).length
  }
  await expect.poll(answered, POLL).toBe(count)
  return sids
}

const basicOf = ({ account }: RunningTrunkline) =>
  `Basic ${Buffer.from(`${account.sid}:${account.secret}`).toString('base64')}`

describe('[F42] a server that is killed with 50 live calls', () => {
  it(
    'ends them when it runs again: final rows, BYE to everybody, callbacks in order, nothing left',
    async ({ task }) => {
      await using app = await startVoiceApp()
      await using callee = await startSipp({ scenario: 'uas-answers-and-waits', calls: CALLS })
      await using trunkline = await startTrunkline({ SIP_PORT: String(await freePort()) })
      const sids = await callsTo(callee, trunkline, app, CALLS)
      await using again = await killAndRestart(trunkline)
      const startedAt = performance.now()
      const list = await again.api('GET', '/Calls.json?PageSize=1000')
      const calls = list.body['calls'] as readonly { status: string }[]
      expect(calls.map(({ status }) => status)).toEqual(Array(CALLS).fill('completed'))
      await callee.done // Every party got its BYE.
      const byeMs = Math.round(performance.now() - startedAt)
      for (const sid of sids) {
        const callbacks = await app.completed(sid)
        // At least once: whether one that was under way had arrived died with the process.
        const sequence = callbacks.map((params) => Number(params['SequenceNumber']))
        expect(sequence).toEqual(sequence.toSorted((a, b) => a - b))
        expect([...new Set(sequence)]).toEqual([0, 1, 2, 3])
      }
      await expectNothingLeft(again)
      reportRow(task, 'F42', { calls: CALLS, 'last BYE answered after restart ms': byeMs })
    },
    LIMIT_MS,
  )
})

/** One document for each verb that can be under way when the process dies. */
const VERBS = (app: VoiceApp): readonly (readonly [verb: string, markup: string])[] => [
  ['Say', '<Say loop="0">One sentence after the other.</Say>'],
  ['Play', `<Play loop="0">${app.url}/tone.wav</Play>`],
  ['Pause', '<Pause length="300"/>'],
  [
    'Gather',
    `<Gather timeout="300" action="${app.url}/late"><Say>Please press a key.</Say></Gather>`,
  ],
  ['Record', `<Record maxLength="300" timeout="300" action="${app.url}/late"/>`],
  ['Dial', `<Dial timeLimit="300" action="${app.url}/late"><Number>+15005550001</Number></Dial>`],
  ['Conference', `<Dial action="${app.url}/late"><Conference>room</Conference></Dial>`],
  ['Enqueue', `<Enqueue action="${app.url}/late">queue</Enqueue>`],
  ['a slow webhook', `<Redirect>${app.url}/hanging</Redirect>`],
]

describe('[F42] a server that is killed with a call in every verb', () => {
  it(
    'ends each of them: a final row, a BYE, its callbacks once, nothing left',
    async ({ task }) => {
      await using app = await startVoiceApp()
      app.page('/late', '')
      app.page('/hanging', '', { hang: 'headers' })
      const verbs = VERBS(app)
      await using callee = await startSipp({
        scenario: 'uas-answers-and-waits',
        calls: verbs.length,
      })
      await using trunkline = await startTrunkline({ SIP_PORT: String(await freePort()) })
      const sids = new Map<string, string>()
      for (const [verb, markup] of verbs) {
        const { sid } = await trunkline.createCall({
          To: `sip:party@127.0.0.1:${callee.port}`,
          From: '+15005550000',
          Markup: `<Response>${markup}</Response>`,
          StatusCallback: `${app.url}/status`,
        })
        sids.set(sid, verb)
      }
      const isUp = async () => {
        const states = [...sids.keys()].map((sid) => trunkline.fetchCall(sid))
        return (await Promise.all(states)).every(({ status }) => status === 'in-progress')
      }
      await expect.poll(isUp, POLL).toBe(true)
      for (const [sid, verb] of sids) {
        const { body: events } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
        expect([verb, JSON.stringify(events)]).not.toEqual([
          verb,
          expect.stringContaining('"error"'),
        ])
      }
      expect(await isUp()).toBe(true)
      await using again = await killAndRestart(trunkline)
      await callee.done // Every party got its BYE.
      for (const [sid, verb] of sids) {
        expect([verb, (await again.fetchCall(sid)).status]).toEqual([verb, 'completed'])
        const ends = await app.completed(sid)
        expect([verb, ends.map((params) => params['CallStatus'])]).toEqual([verb, ['completed']])
      }
      // The calls that those calls had placed are over as well.
      const { body } = await again.api('GET', '/Calls.json?PageSize=1000')
      const all = body['calls'] as readonly { status: string }[]
      const live = ['queued', 'initiated', 'ringing', 'in-progress']
      expect(all.filter(({ status }) => live.includes(status))).toEqual([])
      await expectNothingLeft(again)
      reportRow(task, 'F42', { 'verbs under way': [...sids.values()].join(', ') })
    },
    LIMIT_MS,
  )
})

describe('[F42] a server that is killed while calls ring', () => {
  it(
    'takes its own calls back, refuses those of others, and knows them as failed',
    async ({ task }) => {
      await using app = await startVoiceApp()
      const [callee, caller] = await Promise.all([SipPeer.open(), SipPeer.open()])
      try {
        await using trunkline = await startTrunkline({ SIP_PORT: String(await freePort()) })
        await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/voice` })
        app.page('/voice', '', { hang: 'headers' })
        const invited = callee.nextCall(LIMIT_MS)
        const { sid } = await trunkline.createCall({
          To: callee.uri('party'),
          From: NUMBER,
          Markup: '<Response/>',
          StatusCallback: `${app.url}/status`,
        })
        const outbound = await invited
        outbound.ring()
        const inbound = caller.call(trunkline.sipPort, { user: NUMBER })
        await inbound.response(180, 'INVITE', LIMIT_MS)
        await expect.poll(async () => (await trunkline.fetchCall(sid)).status, POLL).toBe('ringing')
        const killedAt = performance.now()
        await using again = await killAndRestart(trunkline)
        await outbound.request('CANCEL', LIMIT_MS)
        await inbound.response(503, 'INVITE', LIMIT_MS)
        const { body } = await again.api('GET', '/Calls.json')
        const calls = body['calls'] as readonly { status: string; direction: string }[]
        expect(calls.map(({ direction, status }) => `${direction} ${status}`).sort()).toEqual([
          'inbound failed',
          'outbound-api failed',
        ])
        const ms = Math.round(performance.now() - killedAt)
        expect(await app.completed(sid)).toHaveLength(1)
        await expectNothingLeft(again)
        reportRow(task, 'F42', { 'ringing calls over after restart ms': ms })
      } finally {
        callee.close()
        caller.close()
      }
    },
    LIMIT_MS,
  )
})

describe('[F44] a server that is killed while calls are asked for', () => {
  it(
    'has every call that it acknowledged, and knows by its key what was asked before',
    async ({ task }) => {
      const env = { CALLS_PER_SECOND: '1000' }
      await using trunkline = await startTrunkline(env)
      const acknowledged = new Map<string, string>()
      const create = async (server: RunningTrunkline, key: string) =>
        fetch(`${server.http}/2010-04-01/Accounts/${server.account.sid}/Calls.json`, {
          method: 'POST',
          headers: { authorization: basicOf(server), 'idempotency-key': key },
          body: new URLSearchParams(FAILING_CALL),
        })
      const next = Array.from({ length: 1_000 }, (_, index) => `key-${index}`).values()
      const ask = async () => {
        for (const key of next) {
          const answer = await create(trunkline, key)
          if (answer.status === 201) {
            const { sid } = (await answer.json()) as { sid: string }
            acknowledged.set(key, sid)
          }
          if (acknowledged.size === KILLED_AFTER) trunkline.server.process.kill('SIGKILL')
        }
      }
      // Whatever was under way when it died fails, as it does for a client.
      await Promise.allSettled(Array.from({ length: 20 }, ask))
      expect(acknowledged.size).toBeGreaterThanOrEqual(KILLED_AFTER)
      await using again = await killAndRestart(trunkline, env)
      for (const [key, sid] of acknowledged) {
        expect((await again.fetchCall(sid)).sid).toBe(sid)
        const repeated = await create(again, key)
        expect(await repeated.json()).toMatchObject({ sid })
      }
      if (ENGINE === 'sqlite') {
        const database = new Sqlite(join(trunkline.folder, 'data', 'trunkline.db'))
        expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
        database.close()
      }
      reportRow(task, 'F44', { acknowledged: acknowledged.size, lost: 0 })
    },
    LIMIT_MS,
  )
})

describe('[F46] [F47] when both servers are killed', () => {
  it(
    'the far end of each call gets its BYE from the next ones',
    async () => {
      await using app = await startVoiceApp()
      await using callee = await startSipp({ scenario: 'uas-answers-and-waits', calls: 3 })
      await using trunkline = await startTrunkline()
      const sids = await callsTo(callee, trunkline, app, 3)
      process.kill(pidsOf(trunkline).lab, 'SIGKILL')
      await callee.done
      for (const sid of sids) expect((await app.completed(sid)).length).toBeGreaterThan(0)
      await expectNothingLeft(trunkline)
    },
    LIMIT_MS,
  )
})
