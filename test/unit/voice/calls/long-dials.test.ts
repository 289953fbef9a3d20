/** A Dial may last longer than a call may otherwise talk. */
import { expect, it } from 'vitest'
import { whenAborted } from '../../../../src/platform/async/abort.js'
import { systemClock } from '../../../../src/platform/clock.js'
import { runMarkup } from '../../../../src/voice/markup/run-markup.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'
import type { FakeLeg } from '../../../support/voice/fake-telephony.js'

const HOUR_MS = 3_600_000
const EIGHT_HOURS = 'timeLimit="28800"'

async function setUp() {
  let passedMs = 0
  const connected = new Set<string>()
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs }
  const t = await setUpCalls(
    (source, host, signal) =>
      runMarkup(
        source,
        {
          ...host,
          fetchDocument: ({ url }) =>
            Promise.resolve({
              url,
              contentType: 'text/xml',
              text: '<Response><Pause length="3600"/></Response>',
            }),
          enterConference: (_entry, until) => whenAborted(until),
          letTalk: (calls, limitMs) => {
            connected.add(host.leg.id)
            return host.letTalk(calls, limitMs)
          },
        },
        signal,
      ),
    {},
    {},
    clock,
  )
  /** Calls somebody who answers, and hears the markup. */
  const call = async (markup: string, timeLimitSeconds?: number) => {
    const index = t.telephony.legs.length
    const document = { type: 'inline', text: `<Response>${markup}</Response>` } as const
    const limit = timeLimitSeconds === undefined ? {} : { timeLimitSeconds }
    const { sid } = await t.calls.create(t.account, {
      to: '+15005550001',
      from: '+15551112222',
      plan: { ...PLAN, document, ...limit },
    })
    const leg = await answered(t, index)
    const status = async () => (await t.calls.fetch(t.account.sid, sid)).status
    await waitUntil('it talks', async () => (await status()) === 'in-progress')
    return Object.assign(leg, { sid })
  }
  return {
    ...t,
    call,
    /** Waits until the Dial of this leg's call has connected it. */
    inDial: (leg: FakeLeg) => waitUntil('it is connected', () => connected.has(leg.id)),
    /** Lets so much time pass, after which every limit has been looked at. */
    passHours: async (count: number) => {
      const other = await call('<Pause length="3600"/>', 60)
      passedMs += count * HOUR_MS
      await waitUntil('another call has ended', () => isHungUp(other))
    },
  }
}

/** A leg that answers, and is silent and bridged for as long as it is asked to. */
async function answered(
  { telephony }: Awaited<ReturnType<typeof setUpCalls>>,
  index: number,
): Promise<FakeLeg> {
  const leg = await telephony.leg(index)
  Object.assign(leg.media, {
    play: (_source: unknown, signal: AbortSignal) => whenAborted(signal),
    bridge: (_other: unknown, signal: AbortSignal) => {
      leg.asked.push('bridge')
      return whenAborted(signal)
    },
  })
  leg.pickUp()
  return leg
}

const isHungUp = ({ asked }: FakeLeg): boolean => asked.includes('hangup')

it('lets both parties of a Dial talk for as long as its timeLimit says', async () => {
  await using t = await setUp()
  const caller = await t.call(`<Dial ${EIGHT_HOURS}>+15005550002</Dial>`)
  const party = await answered(t, 1)
  await t.inDial(caller)
  await t.passHours(7)
  expect([caller, party].filter(isHungUp)).toEqual([])
  // Eight hours in the Dial, and the four that every call has.
  await t.passHours(6)
  await waitUntil('both are hung up', () => isHungUp(caller) && isHungUp(party))
})

it('ends a call that was redirected out of a long Dial after its usual time', async () => {
  await using t = await setUp()
  const caller = await t.call(`<Dial ${EIGHT_HOURS}>+15005550002</Dial>`)
  const party = await answered(t, 1)
  await t.inDial(caller)
  await t.passHours(1)
  const text = '<Response><Pause length="3600"/></Response>'
  await t.calls.update(t.account.sid, caller.sid, { document: { type: 'inline', text } })
  await waitUntil('the Dial is left', () => isHungUp(party))
  await t.passHours(3)
  expect(isHungUp(caller)).toBe(false)
  await t.passHours(2)
  await waitUntil('it is hung up', () => isHungUp(caller))
})

it('lets a caller talk on after a Dial of more than four hours', async () => {
  await using t = await setUp()
  const next = '<Dial>+15005550003</Dial>'
  const caller = await t.call(`<Dial ${EIGHT_HOURS}>+15005550002</Dial>${next}`)
  const party = await answered(t, 1)
  await t.inDial(caller)
  await t.passHours(6)
  const index = t.telephony.legs.length
  party.end('remote-hangup', 200)
  await answered(t, index)
  await t.passHours(3)
  expect(isHungUp(caller)).toBe(false)
  await t.passHours(2)
  await waitUntil('it is hung up', () => isHungUp(caller))
})

it('lets a caller of a queue talk for as long as the Dial that takes it says', async () => {
  await using t = await setUp()
  const waiting = await t.call('<Enqueue>support</Enqueue>')
  await waitUntil('it is in the queue', () => t.queues.liveCount() === 1)
  const agent = await t.call(`<Dial ${EIGHT_HOURS}><Queue>support</Queue></Dial>`)
  await t.inDial(agent)
  await t.passHours(7)
  expect([waiting, agent].filter(isHungUp)).toEqual([])
})

it('lets a call stay in a conference for as long as the timeLimit of its Dial says', async () => {
  await using t = await setUp()
  const caller = await t.call(`<Dial ${EIGHT_HOURS}><Conference>room</Conference></Dial>`)
  await t.inDial(caller)
  await t.passHours(7)
  expect(isHungUp(caller)).toBe(false)
})

it('ends a call at its own TimeLimit, whatever its Dial says', async () => {
  await using t = await setUp()
  const caller = await t.call(`<Dial ${EIGHT_HOURS}>+15005550002</Dial>`, 2 * 3_600)
  await answered(t, 1)
  await t.inDial(caller)
  await t.passHours(3)
  await waitUntil('it is hung up', () => isHungUp(caller))
})

it('ends a call after four hours when it began an ordinary Dial late', async () => {
  await using t = await setUp()
  const caller = await t.call('<Pause length="3600"/>')
  await t.passHours(3)
  const text = '<Response><Dial>+15005550002</Dial></Response>'
  const index = t.telephony.legs.length
  await t.calls.update(t.account.sid, caller.sid, { document: { type: 'inline', text } })
  await answered(t, index)
  await t.inDial(caller)
  await t.passHours(2)
  await waitUntil('it is hung up', () => isHungUp(caller))
})

it('ends a Dial without a timeLimit after four hours', async () => {
  await using t = await setUp()
  const caller = await t.call('<Dial>+15005550002</Dial>')
  const party = await answered(t, 1)
  await t.inDial(caller)
  await t.passHours(5)
  await waitUntil('both are hung up', () => isHungUp(caller) && isHungUp(party))
})

it('lets a call talk with an application for as long as its Dial says, and the application with it', async () => {
  await using t = await setUp()
  const { sid } = await t.applications.create(t.account.sid, { voiceUrl: 'http://app.test/menu' })
  const caller = await t.call(
    `<Dial ${EIGHT_HOURS}><Application>${sid}</Application></Dial><Dial>+15005550002</Dial>`,
  )
  await t.inDial(caller)
  const child = async () => {
    const filter = { parentCallSid: caller.sid }
    const { items } = await t.calls.list(t.account.sid, filter, { limit: 10, offset: 0 })
    return items[0]?.status
  }
  await waitUntil('the application talks', async () => (await child()) === 'in-progress')
  await t.passHours(7)
  expect([await child(), isHungUp(caller)]).toEqual(['in-progress', false])
})
