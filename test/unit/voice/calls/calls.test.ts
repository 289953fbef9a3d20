import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAccounts } from '../../../../src/accounts/accounts.js'
import { createPhoneNumbers } from '../../../../src/numbers/phone-numbers.js'
import { systemClock } from '../../../../src/platform/clock.js'
import { openDatabase } from '../../../../src/platform/database/database.js'
import { Disposer } from '../../../../src/platform/disposer.js'
import { createLogger } from '../../../../src/platform/log.js'
import { openVault } from '../../../../src/platform/secrets.js'
import type { CallPlan } from '../../../../src/voice/calls/call-plan.js'
import { createCalls } from '../../../../src/voice/calls/calls.js'
import { createEventLog } from '../../../../src/voice/calls/event-log.js'
import type { CallbackRow } from '../../../../src/voice/calls/step-record.js'
import type { MarkupEnd } from '../../../../src/voice/markup/host.js'
import { createCarriers } from '../../../../src/voice/sip/carriers.js'
import { createFakeTelephony } from '../../../support/fake-telephony.js'
import { tempFolder } from '../../../support/temp-folder.js'

const PLAN: CallPlan = {
  document: { type: 'inline', text: '<Response/>' },
  statusCallback: {
    url: 'http://app.test/status',
    method: 'POST',
    events: ['initiated', 'ringing', 'answered', 'completed'],
  },
  timeoutSeconds: 30,
}

/** The whole calls feature over a real database, with a telephony that the test plays. */
async function setUp(runMarkup: () => Promise<MarkupEnd> = () => new Promise(() => undefined)) {
  const stack = new Disposer()
  const folder = stack.use(tempFolder())
  const log = createLogger('silent')
  const db = stack.use(openDatabase(join(folder.path, 'db.sqlite')))
  const vault = openVault(join(folder.path, 'key'))
  const clock = systemClock
  const accounts = createAccounts({ db, vault, clock })
  const account = await accounts.create({ friendlyName: 'test' })
  const numbers = createPhoneNumbers({ db, clock })
  const lab = {
    name: 'lab',
    host: '127.0.0.1',
    port: 5070,
    transport: 'udp',
    prefixes: ['+1500'],
    priority: 1,
    weight: 1,
    addresses: ['127.0.0.0/8'],
  } as const
  const carriers = createCarriers({
    db,
    vault,
    clock,
    builtIn: [lab, { ...lab, name: 'second', priority: 2, port: 5071 }],
  })
  const telephony = createFakeTelephony()
  const events = stack.use(createEventLog({ db, clock, log }))
  const callbacks: CallbackRow[] = []
  let onCallback: (() => void) | undefined
  const calls = stack.use(
    createCalls({
      db,
      telephony,
      carriers,
      numbers,
      vault,
      clock,
      random: () => 0,
      log,
      events,
      documents: {
        runMarkup,
        fetchDocument: () => Promise.reject(new Error('nothing is fetched here')),
        fetchMedia: () => Promise.reject(new Error('nothing is fetched here')),
        synthesise: () => Promise.resolve({ type: 'silence', durationMs: 20 }),
        events,
        log,
      },
      enqueueCallbacks: (_tx, rows) => {
        callbacks.push(...rows)
        return Promise.resolve()
      },
      callbacksCommitted: () => onCallback?.(),
    }),
  )
  return {
    account,
    numbers,
    telephony,
    calls,
    callbacks,
    /** Resolves with the callbacks once the terminal one is there. */
    completed: async () => {
      const isDone = () =>
        callbacks.some(
          (row) =>
            paramsOf(row)['SequenceNumber'] === String(callbacks.length - 1) &&
            calls.liveCount() === 0,
        )
      while (!isDone())
        await new Promise<void>((resolve) => {
          onCallback = () => setImmediate(resolve)
        })
      return callbacks.map((row) => paramsOf(row)['CallStatus'])
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

const paramsOf = (row: CallbackRow): Record<string, string> => Object.fromEntries(row.params)

describe('calls', () => {
  it('dials, rings, answers, and says each step once and in order', async () => {
    await using t = await setUp()
    const call = await t.calls.create(t.account, {
      to: '+15005550001',
      from: '+15551112222',
      plan: PLAN,
    })
    expect(call.status).toBe('queued')
    const leg = await t.telephony.leg(0)
    expect(leg.request?.uri).toBe('sip:+15005550001@127.0.0.1:5070;transport=udp')
    leg.progress()
    leg.progress()
    leg.pickUp()
    leg.end('remote-hangup', 200)
    leg.end('remote-hangup', 200)
    expect(await t.completed()).toEqual(['initiated', 'ringing', 'in-progress', 'completed'])
    expect(t.callbacks.map((row) => paramsOf(row)['SequenceNumber'])).toEqual(['0', '1', '2', '3'])
    expect(await t.calls.fetch(t.account.sid, call.sid)).toMatchObject({
      status: 'completed',
      sipStatus: 200,
      callbackCount: 4,
    })
  })

  it('tries the next carrier while nobody was reached, and not after a refusal', async () => {
    await using t = await setUp()
    const first = await t.calls.create(t.account, {
      to: '+15005550001',
      from: '+15551112222',
      plan: PLAN,
    })
    ;(await t.telephony.leg(0)).end('unreachable', 503)
    const second = await t.telephony.leg(1)
    expect(second.request?.uri).toContain(':5071')
    second.end('rejected', 486)
    expect(await t.completed()).toEqual(['initiated', 'busy'])
    expect(await t.calls.fetch(t.account.sid, first.sid)).toMatchObject({
      status: 'busy',
      sipStatus: 486,
    })
    expect(t.telephony.legs).toHaveLength(2)
  })

  it('fails a call that no carrier takes', async () => {
    await using t = await setUp()
    await t.calls.create(t.account, { to: '+442079460018', from: '+15551112222', plan: PLAN })
    expect(await t.completed()).toEqual(['initiated', 'failed'])
  })

  it.each([
    ['completed', 'canceled'],
    ['canceled', 'canceled'],
  ] as const)('an update to %s while ringing ends it as %s', async (end, status) => {
    await using t = await setUp()
    const call = await t.calls.create(t.account, {
      to: '+15005550007',
      from: '+15551112222',
      plan: PLAN,
    })
    const leg = await t.telephony.leg(0)
    leg.progress()
    await t.calls.update(t.account.sid, call.sid, { end })
    expect(leg.asked).toEqual(['hangup'])
    expect((await t.completed()).at(-1)).toBe(status)
  })

  it('swaps the document of a live call, and refuses on an ended one', async () => {
    const runs: string[] = []
    await using t = await setUp(() => {
      runs.push('run')
      return new Promise(() => undefined)
    })
    const call = await t.calls.create(t.account, {
      to: '+15005550001',
      from: '+15551112222',
      plan: PLAN,
    })
    const document = { type: 'inline', text: '<Response><Pause/></Response>' } as const
    await expect(t.calls.update(t.account.sid, call.sid, { document })).rejects.toMatchObject({
      code: 'call-not-in-progress',
    })
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await t.calls.update(t.account.sid, call.sid, { document })
    expect(runs).toEqual(['run', 'run'])
    leg.end('remote-hangup', 200)
    await t.completed()
    await expect(t.calls.update(t.account.sid, call.sid, { document })).rejects.toMatchObject({
      code: 'call-not-in-progress',
    })
    await expect(
      t.calls.update(t.account.sid, call.sid, { end: 'completed' }),
    ).resolves.toMatchObject({ status: 'completed' })
  })

  it('hangs up when the document is finished, and declines when it says so', async () => {
    await using t = await setUp(() => Promise.resolve({ type: 'rejected', reason: 'busy' }))
    await t.numbers.assign(t.account.sid, '+15551112222', {
      voiceUrl: 'http://app.test/voice',
      voiceMethod: 'POST',
      voiceFallbackUrl: undefined,
      voiceFallbackMethod: 'POST',
      statusCallback: 'http://app.test/status',
      statusCallbackMethod: 'POST',
    })
    t.telephony.invite({})
    const leg = await t.telephony.leg(0)
    expect(await t.completed()).toEqual(['busy'])
    expect(leg.asked).toEqual(['hangup 486'])
  })

  it.each([
    ['an unknown number', {}, { rejected: [404], dropped: 0 }],
    [
      'an unknown address',
      { source: { address: '203.0.113.9', port: 5060, transport: 'udp' } },
      { rejected: [403], dropped: 0 },
    ],
    ['a scanner', { userAgent: 'friendly-scanner' }, { rejected: [], dropped: 1 }],
  ])('%s gets nothing allocated', async (_title, invite, expected) => {
    await using t = await setUp()
    const seen = t.telephony.invite(invite)
    await expect.poll(() => seen.rejected.length + seen.dropped).toBe(1)
    expect(seen).toEqual(expected)
    expect(t.telephony.legs).toHaveLength(0)
    expect((await t.calls.list(t.account.sid, {}, { offset: 0, limit: 10 })).total).toBe(0)
  })

  it('refuses to place calls while a server is away, and stores nothing', async () => {
    await using t = await setUp()
    t.telephony.setHealth({ signaling: 'up', media: 'down' })
    const wanted = { to: '+15005550001', from: '+15551112222', plan: PLAN }
    await expect(t.calls.create(t.account, wanted)).rejects.toMatchObject({
      code: 'telephony-unavailable',
    })
    expect((await t.calls.list(t.account.sid, {}, { offset: 0, limit: 10 })).total).toBe(0)
  })

  it('keeps another account from seeing a call', async () => {
    await using t = await setUp()
    const call = await t.calls.create(t.account, {
      to: '+15005550001',
      from: '+15551112222',
      plan: PLAN,
    })
    await expect(t.calls.fetch(`AC${'0'.repeat(32)}`, call.sid)).rejects.toMatchObject({
      code: 'call-not-found',
    })
  })
})
