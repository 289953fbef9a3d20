import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectedMemory, reportingMemory } from '../support/process/collected-memory.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { processesOf } from '../support/process/process-memory.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { waitWhileMoving } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const CALLS = 200
/**
 * What a burst may leave in each process, in megabytes after a collection of its garbage: compiled
 * code, caches, and buffers that the next calls use again. Eighty calls at once left 11.
 */
const HELD_LIMIT_MB = 40

let trunkline: RunningTrunkline
let app: VoiceApp

const reports = tempFolder()

beforeAll(async () => {
  trunkline = await startTrunkline(reportingMemory(reports.path))
  app = await startVoiceApp()
  app.sink.keepAliveMs = 5_000
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  reports[Symbol.dispose]()
})

/** The megabytes that the server and its lab hold after a collection of their garbage. */
async function held(): Promise<readonly number[]> {
  const memories = processesOf(trunkline).map((pid) => collectedMemory(reports.path, pid))
  return (await Promise.all(memories)).map(({ heap, outside }) => heap + outside)
}

/** Places a call over connections of its own: those that a client keeps would count as the server's. */
async function call(agent: Agent): Promise<string> {
  const { http, account } = trunkline
  const answer = await fetch(`${http}/2010-04-01/Accounts/${account.sid}/Calls.json`, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      authorization: `Basic ${Buffer.from(`${account.sid}:${account.secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      To: '+15005550002',
      From: '+15005550000',
      Markup: '<Response><Pause length="1"/></Response>',
      StatusCallback: `${app.url}/status`,
      StatusCallbackEvent: 'initiated ringing answered completed',
    }),
  })
  const body = (await answer.json()) as { readonly sid: string }
  expect(answer.status, JSON.stringify(body)).toBe(201)
  return body.sid
}

it(`${CALLS} calls started at once all complete, in order, and leave nothing`, async () => {
  const agent = new Agent()
  await app.completed(await call(agent))
  await expectNothingLeft(trunkline)
  const before = await trunkline.metrics()
  const heldBefore = await held()

  const calls = await Promise.all(Array.from({ length: CALLS }, () => call(agent)))
  await agent.close()
  const isOver = (sid: string) => app.callbacks(sid).length === 4
  const told = () => app.sink.requests.length
  await waitWhileMoving('four callbacks of each call', () => calls.every(isOver), told)
  for (const callbacks of calls.map((sid) => app.callbacks(sid))) {
    expect(
      callbacks.map((params) => [params['SequenceNumber'], params['CallStatus']]),
      JSON.stringify(callbacks.at(-1)),
    ).toEqual([
      ['0', 'initiated'],
      ['1', 'ringing'],
      ['2', 'in-progress'],
      ['3', 'completed'],
    ])
  }
  expect(new Set(calls).size).toBe(CALLS)

  await expectNothingLeft(trunkline)
  // Idle connections to the application close by themselves after a few seconds.
  await expect
    .poll(async () => (await trunkline.metrics())['outbound_connections'], { timeout: 40_000 })
    .toBeLessThanOrEqual(before['outbound_connections'] ?? 0)
  await expect
    .poll(async () => (await trunkline.metrics())['active_resources'], { timeout: 40_000 })
    .toBeLessThanOrEqual((before['active_resources'] ?? 0) + 5)
  const after = await trunkline.metrics()
  expect(after['callbacks_in_flight']).toBe(0)
  const heldAfter = await held()
  for (const [index, megabytes] of heldAfter.entries())
    expect(megabytes - (heldBefore[index] ?? 0)).toBeLessThan(HELD_LIMIT_MB)
}, 600_000)
