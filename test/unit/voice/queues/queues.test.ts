import { describe, expect, it } from 'vitest'
import { newSid } from '../../../../src/platform/ids.js'
import { DocumentReplacedError } from '../../../../src/voice/markup/document.js'
import type {
  QueueDialAnswer,
  QueueEntry,
  QueueOutcome,
  WaitEnd,
} from '../../../../src/voice/markup/queue-entry.js'
import { type CallRecord, newCallRecord } from '../../../../src/voice/model/call-record.js'
import type { Leg } from '../../../../src/voice/telephony/port.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

type Bench = Awaited<ReturnType<typeof setUpCalls>>

const LIMIT_MS = 20_000
const ACTION = { url: 'http://app.test/action', method: 'POST' } as const
const NAME = 'support'

function record(bench: Bench): CallRecord {
  return newCallRecord(
    {
      sid: newSid('CA'),
      accountSid: bench.account.sid,
      direction: 'outbound-api',
      to: '+15005550001',
      from: '+15005550000',
      plan: PLAN,
    },
    Date.now(),
  )
}

/** A caller whose document a test plays: it waits until somebody takes it, or it wants to go. */
function caller(bench: Bench, overrides: Partial<QueueEntry> = {}) {
  const call = record(bench)
  const document = new AbortController()
  const leg = { state: 'answered' as Leg['state'] }
  const told: Readonly<Record<string, string>>[] = []
  let go: (end: WaitEnd) => void = () => undefined
  const entry: QueueEntry = {
    name: NAME,
    maxSize: undefined,
    action: ACTION,
    wait: (standing, until) =>
      new Promise((resolve) => {
        told.push(standing())
        go = resolve
        const over = () => {
          resolve('over')
        }
        if (until.aborted) over()
        else until.addEventListener('abort', over, { once: true })
      }),
    announce: () => Promise.resolve(),
    ...overrides,
  }
  // Queues use no more of a leg.
  const queued = { call: () => call, leg: leg as Leg }
  const outcome = bench.queues.enter(queued, entry, document.signal)
  outcome.catch(() => undefined) // seen by `resultOf`
  return {
    sid: call.sid,
    told,
    outcome,
    leave: () => {
      go('left-queue')
    },
    hangUp: () => {
      leg.state = 'ended'
      document.abort(new Error('the call is over'))
    },
    redirect: () => {
      document.abort(new DocumentReplacedError('another document'))
    },
  }
}
type Caller = ReturnType<typeof caller>

function dialler(bench: Bench, timeoutMs = LIMIT_MS) {
  const call = record(bench)
  const document = new AbortController()
  const answer = bench.queues.dial(
    call,
    { name: NAME, announcement: { url: 'http://app.test/hello', method: 'POST' }, timeoutMs },
    document.signal,
  )
  answer.catch(() => undefined) // seen by who awaits it
  return {
    sid: call.sid,
    answer,
    goAway: () => {
      document.abort(new Error('the dialler has gone'))
    },
  }
}

const untilWaiting = (one: Caller) =>
  waitUntil('the caller waits', () => one.told.length > 0, LIMIT_MS)

/** What everybody was told of a call: by its document, or by callbacks. */
async function resultsOf(bench: Bench, one: Caller): Promise<readonly string[]> {
  const byDocument = await one.outcome.then(
    ({ params }: QueueOutcome) => [params['QueueResult'] ?? ''],
    () => [],
  )
  const byCallback = bench.callbacks
    .filter(({ kind, stream }) => kind === 'queue' && stream === one.sid)
    .map(({ params }) => new Map(params).get('QueueResult') ?? '')
  return [...byDocument, ...byCallback]
}

function partyOf(answer: QueueDialAnswer) {
  if (answer.type !== 'ready') throw new Error(`nobody came: ${answer.why}`)
  return answer.party
}

async function expectNobodyLeft(bench: Bench): Promise<void> {
  await waitUntil('nobody is left', () => bench.queues.liveCount() === 0, LIMIT_MS)
  const stored = () => bench.db.read.selectFrom('queue_members').selectAll().execute()
  await waitUntil('nobody is stored', async () => (await stored()).length === 0, LIMIT_MS)
}

describe('callers in a queue', () => {
  it('get back the place that they had when the dialler who has them goes', async () => {
    await using bench = await setUpCalls()
    let announce = (): void => undefined
    const first = caller(bench, {
      announce: (_request, _params, until) =>
        new Promise((_resolve, reject) => {
          announce()
          until.addEventListener('abort', () => {
            reject(new Error('cut'))
          })
        }),
    })
    await untilWaiting(first)
    const second = caller(bench)
    await untilWaiting(second)
    const announced = new Promise<void>((resolve) => {
      announce = resolve
    })
    const gone = dialler(bench)
    await announced
    const sid = first.told[0]?.['QueueSid'] ?? ''
    expect((await bench.queues.fetch(bench.account.sid, sid)).size).toBe(1)
    gone.goAway()
    await expect(gone.answer).rejects.toThrow('the dialler has gone')
    await waitUntil('the first waits again', () => first.told.length === 2, LIMIT_MS)
    expect(first.told[1]).toMatchObject({ QueuePosition: '1', CurrentQueueSize: '2' })
    for (const one of [first, second]) one.hangUp()
    expect(await resultsOf(bench, first)).toEqual(['hangup'])
    await resultsOf(bench, second)
    await expectNobodyLeft(bench)
  })

  it('who go in the middle of the announcement leave the dialler the next one', async () => {
    await using bench = await setUpCalls()
    const first: Caller = caller(bench, {
      announce: () => {
        first.hangUp()
        return Promise.reject(new Error('the leg has ended'))
      },
    })
    await untilWaiting(first)
    const second = caller(bench)
    await untilWaiting(second)
    const party = partyOf(await dialler(bench).answer)
    expect(party.callSid).toBe(second.sid)
    party.done('parted')
    expect(await resultsOf(bench, first)).toEqual(['hangup'])
    expect(await resultsOf(bench, second)).toEqual(['bridged'])
    await expectNobodyLeft(bench)
  })

  it.each([
    ['waiting', 'redirected'],
    ['told that it is taken', 'bridging-in-process'],
    ['talking', 'redirected-from-bridged'],
  ])('who are taken away while %s have the result %s', async (phase, expected) => {
    await using bench = await setUpCalls()
    const one: Caller = caller(bench, {
      announce: () => {
        if (phase !== 'talking') one.redirect()
        return Promise.resolve()
      },
    })
    await untilWaiting(one)
    const agent = phase === 'waiting' ? undefined : dialler(bench)
    if (phase === 'talking' && agent !== undefined) {
      const party = partyOf(await agent.answer)
      party.signal.addEventListener('abort', () => {
        party.done('parted')
      })
    }
    if (phase !== 'told that it is taken') one.redirect()
    expect(await resultsOf(bench, one)).toEqual([expected])
    agent?.goAway()
    await agent?.answer.catch(() => undefined)
    await expectNobodyLeft(bench)
  })

  it('whose connection fails go on, and are told so', async () => {
    await using bench = await setUpCalls()
    const one = caller(bench)
    await untilWaiting(one)
    partyOf(await dialler(bench).answer).done('failed')
    expect(await resultsOf(bench, one)).toEqual(['system-error'])
    await expectNobodyLeft(bench)
  })

  it('are in the queue that is made again when it is deleted just as they come', async () => {
    await using bench = await setUpCalls()
    const { queues, account } = bench
    for (let round = 0; round < 20; round += 1) {
      const { record: made } = await queues.create(account.sid, NAME, 10)
      const one = caller(bench)
      const removal = queues.remove(account.sid, made.sid).then(
        () => 'removed',
        (error: unknown) => (error as { code: string }).code,
      )
      await untilWaiting(one)
      expect(['removed', 'queue-not-empty']).toContain(await removal)
      one.leave()
      expect(await resultsOf(bench, one)).toEqual(['leave'])
      await queues.remove(account.sid, one.told[0]?.['QueueSid'] ?? '')
    }
    await expectNobodyLeft(bench)
  })

  it('are never more than the queue has room for, however many come at once', async () => {
    await using bench = await setUpCalls()
    const all = Array.from({ length: 12 }, () => caller(bench, { maxSize: 5 }))
    const isFull = async (one: Caller) => (await resultsOf(bench, one))[0] === 'queue-full'
    await waitUntil(
      'five wait',
      () => all.filter(({ told }) => told.length > 0).length === 5,
      LIMIT_MS,
    )
    const full = all.filter(({ told }) => told.length === 0)
    expect(await Promise.all(full.map(isFull))).toEqual(full.map(() => true))
    for (const one of all) one.hangUp()
    await Promise.all(all.map((one) => resultsOf(bench, one)))
    await expectNobodyLeft(bench)
  })
})

describe('a dialler', () => {
  it('is told when there is no such queue, and when the one it waits at is deleted', async () => {
    await using bench = await setUpCalls()
    expect(await dialler(bench).answer).toEqual({ type: 'nobody', why: 'no-queue' })
    const { record: made } = await bench.queues.create(bench.account.sid, NAME, 10)
    const waiting = dialler(bench)
    await bench.queues.remove(bench.account.sid, made.sid)
    expect(await waiting.answer).toEqual({ type: 'nobody', why: 'no-queue' })
    expect(bench.queues.liveCount()).toBe(0)
  })

  it('waits no longer than it wants to', async () => {
    await using bench = await setUpCalls()
    await bench.queues.create(bench.account.sid, NAME, 10)
    expect(await dialler(bench, 20).answer).toEqual({ type: 'nobody', why: 'timeout' })
  })
})

describe('when a dialler, a hang-up, a redirection and the API want the same caller at once', () => {
  it.each([1, 2, 3, 4])('exactly one of them has it, run %i', async (seed) => {
    await using bench = await setUpCalls()
    const random = generator(seed)
    const callers: Caller[] = []
    const answered = new Map<string, number>()
    const diallers: ReturnType<typeof dialler>[] = []
    const followed: Promise<void>[] = []
    const claims: Promise<void>[] = []
    const { queues, account } = bench
    const { record: queue } = await queues.create(account.sid, NAME, 5_000)
    const ways = [
      (one: Caller) => {
        one.hangUp()
      },
      (one: Caller) => {
        one.redirect()
      },
      (one: Caller) => {
        one.leave()
      },
      (one: Caller) => {
        claims.push(
          queues.call(account.sid, queue.sid, one.sid).then(
            (called) => {
              // As the API does: the document that it brings takes the call over.
              if (random(3) === 0) called.giveBack()
              else one.redirect()
            },
            () => undefined,
          ),
        )
      },
    ]
    for (let turn = 0; turn < 300; turn += 1) {
      const what = random(6)
      if (what <= 1) callers.push(caller(bench))
      else if (what === 2) {
        const one = dialler(bench)
        diallers.push(one)
        followed.push(followDialler(one, answered))
      } else if (what === 3) diallers[random(diallers.length)]?.goAway()
      else {
        const one = callers[random(callers.length)]
        if (one !== undefined) ways[random(ways.length)]?.(one)
      }
      if (random(3) === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    for (const one of callers) one.hangUp()
    for (const one of diallers) one.goAway()
    const results = await Promise.all(callers.map((one) => resultsOf(bench, one)))
    await Promise.all([...followed, ...claims])
    const entered = results.filter(
      (told, index) => callers[index]?.told.length !== 0 || told.length > 0,
    )
    expect(entered.length).toBeGreaterThan(20)
    expect(entered.filter((told) => told.length !== 1)).toEqual([])
    expect([...answered.values()].filter((times) => times > 1)).toEqual([])
    await expectNobodyLeft(bench)
  })
})

/** Talks for a moment to whoever it gets. */
async function followDialler(
  one: ReturnType<typeof dialler>,
  answered: Map<string, number>,
): Promise<void> {
  const answer = await one.answer.catch(() => undefined)
  if (answer?.type !== 'ready') return
  const { callSid, done } = answer.party
  answered.set(callSid, (answered.get(callSid) ?? 0) + 1)
  await new Promise((resolve) => setImmediate(resolve))
  done('parted')
}

function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return below === 0 ? 0 : (state >>> 8) % below
  }
}
