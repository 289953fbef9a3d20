import { expect, it } from 'vitest'
import { systemClock as clock } from '../../../../src/platform/clock.js'
import { createOutbound } from '../../../../src/platform/http/outbound.js'
import { createLogger } from '../../../../src/platform/log.js'
import { createCallbackChannel } from '../../../../src/platform/outbox/callback-channel.js'
import { Outbox } from '../../../../src/platform/outbox/outbox.js'
import { createWebhooks } from '../../../../src/platform/webhooks/fetch-webhook.js'
import { HttpSink } from '../../../support/http/http-sink.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { openTestDatabase } from '../../../support/process/test-database.js'
import { reportRow } from '../../../support/rows/rows.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const SLOW_FETCHES = 900
const SLOW_CALLBACKS = 400
const FETCHES = 100
const log = createLogger('silent')
const signing = { authToken: 'token' }

it('[D33] a customer whose server does not answer delays itself: another one is served as before', async ({
  task,
}) => {
  using folder = tempFolder()
  await using slow = await HttpSink.start()
  await using quick = await HttpSink.start()
  slow.script(() => ({ hang: 'headers' }))
  await using db = await openTestDatabase(folder.path)
  await using outbound = createOutbound({
    policy: { mode: 'allow-private', allow: [] },
    clock,
    log,
  })
  const webhooks = createWebhooks({ outbound, clock, version: '1' })
  const limits = { drainMs: 1 }
  await using outbox = new Outbox({ db, clock, random: Math.random, log, limits })
  const callbacks = outbox.open(
    createCallbackChannel({ webhooks, signingOf: () => Promise.resolve(signing) }),
  )
  outbox.start()

  const leaving = new AbortController()
  const fetched = (accountSid: string, url: string) =>
    webhooks.fetch({ method: 'POST', url, params: [], accountSid, signing }, leaving.signal)
  const notify = async (accountSid: string, url: string, count: number) => {
    const rows = Array.from({ length: count }, (_, i) => ({
      ...{ stream: `${accountSid}${String(i)}`, accountSid, kind: 'status', url },
      ...({ method: 'POST', params: [] } as const),
    }))
    await callbacks.commit((_tx, enqueue) => enqueue(rows))
  }
  const timesOf = async () => {
    const times: number[] = []
    for (let i = 0; i < FETCHES; i++) {
      const startedAt = performance.now()
      await fetched('quick', quick.url)
      times.push(performance.now() - startedAt)
    }
    return times.toSorted((a, b) => a - b)[Math.floor(FETCHES * 0.95)] ?? 0
  }

  const alone = await timesOf()
  const outcomes = Promise.allSettled(
    Array.from({ length: SLOW_FETCHES }, () => fetched('slow', slow.url)),
  )
  await notify('slow', slow.url, SLOW_CALLBACKS)
  await waitUntil('the slow server holds all it may', () => slow.connections >= 320 + 64, 20_000)
  const beside = await timesOf()
  await notify('quick', quick.url, 50)
  await waitUntil('the callbacks arrive', () => quick.requests.length === 2 * FETCHES + 50, 20_000)

  // Sockets and queue are bounded: 320 documents and 64 callbacks, 512 wait, the rest is refused.
  expect(slow.connections).toBe(320 + 64)
  expect(outbound.connections).toBeLessThan(320 + 64 + 100)
  leaving.abort()
  const refused = (await outcomes).filter(
    ({ status, ...outcome }) =>
      status === 'rejected' &&
      String((outcome as PromiseRejectedResult).reason).includes('waiting'),
  )
  expect(refused).toHaveLength(SLOW_FETCHES - 320 - 512)
  reportRow(task, 'D33', { 'p95 alone, ms': alone.toFixed(1), 'p95 beside, ms': beside.toFixed(1) })
}, 60_000)
