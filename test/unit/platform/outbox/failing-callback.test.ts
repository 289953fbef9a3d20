/** One failing callback of a call and the later ones to the same server. */
import { expect, it } from 'vitest'
import { type Clock, systemClock } from '../../../../src/platform/clock.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { createOutbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import type { CallbackOutbox, NewCallback } from '../../../../src/platform/outbox/callback.js'
import { createCallbackChannel } from '../../../../src/platform/outbox/callback-channel.js'
import { Outbox } from '../../../../src/platform/outbox/outbox.js'
import { createWebhooks } from '../../../../src/platform/webhooks/fetch-webhook.js'
import { HttpSink } from '../../../support/http/http-sink.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const log = createLogger('silent')
const RETRY_MS = 600_000
const HORIZON_MS = 4 * 3_600_000

class TurnedClock implements Clock {
  #aheadMs = 0

  now(): number {
    return systemClock.now() + this.#aheadMs
  }

  monotonic(): number {
    return systemClock.monotonic()
  }

  turn(ms: number): void {
    this.#aheadMs += ms
  }
}

interface Harness extends AsyncDisposable {
  readonly sink: HttpSink
  readonly nodes: readonly Outbox[]
  /** Stores the callbacks on one node after the other. */
  send(...callbacks: readonly NewCallback[]): Promise<void>
  /** Turns the clock to the next retry, and resolves when all that is due was tried. */
  retry(): Promise<void>
  states(): Promise<string[]>
  /** The events in the order in which the server was asked. */
  asked(): string[]
}

async function setUp(nodeCount: number): Promise<Harness> {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const sink = stack.use(await HttpSink.start())
  const db = stack.use(await openTestDatabase(folder.path))
  const clock = new TurnedClock()
  const outbound = stack.use(
    createOutbound({
      policy: { mode: 'allow-private', allow: [] },
      clock: systemClock,
      log,
    }),
  )
  const webhooks = createWebhooks({ outbound, clock: systemClock, version: '1' })
  const nodes: Outbox[] = []
  const callbacks: CallbackOutbox[] = []
  for (let n = 0; n < nodeCount; n += 1) {
    const node = `node-${String(n)}`
    const outbox = stack.use(new Outbox({ db, clock, random: () => 0, log, node }))
    nodes.push(outbox)
    callbacks.push(
      outbox.open(
        createCallbackChannel({
          webhooks,
          signingOf: () => Promise.resolve({ authToken: 'token' }),
          schedule: { firstDelayMs: RETRY_MS, maxDelayMs: RETRY_MS, horizonMs: HORIZON_MS },
        }),
      ),
    )
    outbox.start()
  }
  /**
   * Resolves once the outcome of every attempt is stored: a clock that is turned before that lets the
   * claim of an attempt run out, and another node makes it too.
   */
  const settled = () =>
    waitUntil('nothing is due', async () => {
      const due = await db.read
        .selectFrom('outbox')
        .select('kind')
        .where('state', '=', 'pending')
        .where('nextAttemptAt', '<=', clock.now())
        .execute()
      return due.length === 0
    })
  return {
    sink,
    nodes,
    send: async (...items) => {
      for (const [index, item] of items.entries())
        await callbacks[index % nodeCount]?.commit((_tx, enqueue) => enqueue([item]))
      await settled()
    },
    retry: async () => {
      await settled()
      clock.turn(RETRY_MS)
      for (const node of nodes) await node.settled() // each looks anew
      await settled()
    },
    states: async () => {
      const rows = await db.read.selectFrom('outbox').select('state').orderBy('id').execute()
      return rows.map(({ state }) => state)
    },
    asked: () => sink.requests.map(({ params }) => params[0]?.[1] ?? ''),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

function callback(sink: HttpSink, event: string, fragment = ''): NewCallback {
  return {
    stream: 'CA1',
    accountSid: 'AC1',
    kind: event,
    url: `${sink.url}${fragment}`,
    method: 'POST',
    params: [['CallStatus', event]],
  }
}

it.each([
  ['one node', 1],
  ['two nodes', 2],
])('steps aside after its first retry, and the others go out once, in order: %s', async (_title, nodeCount) => {
  await using t = await setUp(nodeCount)
  t.sink.script(({ params }) => ({ status: params[0]?.[1] === 'ringing' ? 500 : 204 }))
  const events = ['initiated', 'ringing', 'answered', 'completed']
  await t.send(...events.map((event) => callback(t.sink, event)))
  await waitUntil('the first failure', () => t.asked().includes('ringing'))
  expect(t.asked()).toEqual(['initiated', 'ringing'])
  await t.retry()
  await waitUntil('the end of the call', () => t.asked().includes('completed'))
  expect(t.asked()).toEqual(['initiated', 'ringing', 'ringing', 'answered', 'completed'])
  await t.retry()
  await waitUntil('its own schedule', () => t.asked().length === 6)
  t.sink.script(() => ({ status: 204 }))
  await t.retry()
  await waitUntil('delivered', () => t.asked().length === 7)
  await t.retry()
  expect(t.asked().slice(5)).toEqual(['ringing', 'ringing'])
  expect(await t.states()).toEqual(events.map(() => 'delivered'))
})

it('that fails for good beside the others is given up, and holds nothing', async () => {
  await using t = await setUp(1)
  t.sink.script(({ params }) => ({ status: params[0]?.[1] === 'ringing' ? 500 : 204 }))
  await t.send(callback(t.sink, 'ringing'), callback(t.sink, 'completed'))
  const retries = HORIZON_MS / RETRY_MS
  for (let n = 0; n < retries; n += 1) await t.retry()
  await t.retry()
  expect(t.asked().filter((event) => event === 'completed')).toHaveLength(1)
  expect(await t.states()).toEqual(['dead', 'delivered'])
})

it.each([
  ['#rc=0', 1],
  ['#rc=2&rp=5xx', 3],
  ['#rc=2', 1],
])('whose URL says how often to retry, %s, is asked for so often, and no more', async (fragment, requests) => {
  await using t = await setUp(1)
  t.sink.script(({ params }) => ({ status: params[0]?.[1] === 'ringing' ? 500 : 204 }))
  await t.send(callback(t.sink, 'ringing', fragment), callback(t.sink, 'completed', fragment))
  await waitUntil('the end of the call', () => t.asked().includes('completed'))
  await t.retry()
  expect(t.asked()).toEqual([...Array.from({ length: requests }, () => 'ringing'), 'completed'])
  expect(await t.states()).toEqual(['dead', 'delivered'])
})
