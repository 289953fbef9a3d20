import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src/platform/clock.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../../src/voice/carriers/carrier.js'
import type {
  ChildCall,
  ChildCallEvents,
  ChildCallRequest,
} from '../../../../src/voice/markup/child-call.js'
import type { DocumentSource, MarkupEnd } from '../../../../src/voice/markup/document.js'
import { UnsafeArgumentError } from '../../../../src/voice/telephony/port.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { PLAN, paramsOf, setUpCalls } from '../../../support/voice/calls-fixture.js'

/** What a Dial asks for: a party that talks until it is hung up. */
const PARTY: ChildCallRequest = {
  to: { type: 'number', number: '+15005550002' },
  callerId: undefined,
  callReason: undefined,
  timeoutSeconds: 30,
  sendDigits: undefined,
  screening: undefined,
  statusCallback: undefined,
  machineDetection: undefined,
}
const TALK_ON: ChildCallEvents = {
  onEarlyAudio: () => Promise.resolve(),
  onReady: (_leg, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve()
      })
    }),
  onOver: () => undefined,
}

describe('calls', () => {
  it('dials, rings, answers, and says each step once and in order', async () => {
    await using t = await setUpCalls()
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
    await using t = await setUpCalls()
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

  it('fails a call whose address cannot be sent, and nobody waits for it', async () => {
    await using t = await setUpCalls()
    t.telephony.dial = () => {
      throw new UnsafeArgumentError('not a host')
    }
    await t.calls.create(t.account, { to: '+15005550001', from: '+15551112222', plan: PLAN })
    expect(await t.completed()).toEqual(['initiated', 'failed'])
  })

  it('calls a SIP URI at the address that its host was checked with', async () => {
    await using t = await setUpCalls()
    const to = 'sip:bob@pbx.test'
    await t.calls.create(t.account, { to, from: '+15551112222', plan: PLAN })
    const { request } = await t.telephony.leg(0)
    expect(request).toMatchObject({ uri: to, proxy: 'sip:198.41.0.4:5060' })
  })

  it.each([
    'sip:bob@nowhere.test',
    'sip:bob@10.0.0.5',
  ])('fails a call to %s, which may not be called, and says so [13254]', async (to) => {
    await using t = await setUpCalls()
    const { sid } = await t.calls.create(t.account, { to, from: '+15551112222', plan: PLAN })
    expect(await t.completed()).toEqual(['initiated', 'failed'])
    expect(t.telephony.legs).toHaveLength(0)
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 50)
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: 'warning',
        detail: expect.objectContaining({ code: 13254 }) as unknown,
      }),
    )
  })

  it.each([
    ['sip:+19005551234@pbx.test', 'its name'],
    ['sip:+19005551234@198.41.0.4:5099', 'its address at another port'],
    ['sip:+19005551234@127.0.0.1:5072', 'its address and port on this machine'],
  ])('fails a call to %s, a carrier by %s [13254]', async (to) => {
    await using t = await setUpCalls()
    for (const host of ['198.41.0.4', '127.0.0.1']) {
      await t.carriers.put({
        name: `trunk-${host}`,
        host,
        port: 5072,
        transport: 'udp',
        prefixes: ['+'],
        priority: 1,
        weight: 1,
        addresses: [],
        settings: DEFAULT_CARRIER_SETTINGS,
      })
    }
    const { sid } = await t.calls.create(t.account, { to, from: '+15551112222', plan: PLAN })
    expect(await t.completed()).toEqual(['initiated', 'failed'])
    expect(t.telephony.legs).toHaveLength(0)
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 50)
    expect(events).toContainEqual(
      expect.objectContaining({
        kind: 'warning',
        detail: expect.objectContaining({ code: 13254 }) as unknown,
      }),
    )
  })

  it('takes back at once a call whose host no name server finds or denies', async () => {
    await using t = await setUpCalls()
    const to = 'sip:bob@silent.test'
    const { sid } = await t.calls.create(t.account, { to, from: '+15551112222', plan: PLAN })
    await t.calls.update(t.account.sid, sid, { timeLimitSeconds: 30 })
    await waitUntil('the name is looked up', () => t.silentLookups.length === 1)
    await t.calls.update(t.account.sid, sid, { end: 'completed' })
    expect(await t.completed()).toEqual(['initiated', 'canceled'])
    // The lookup was given up with the call, not at its own limit.
    expect(t.silentLookups.map(({ reason }) => String(reason))).not.toContain(
      'Error: no answer in time',
    )
    expect(await t.calls.fetch(t.account.sid, sid)).toMatchObject({ sipStatus: 487 })
    expect(t.telephony.legs).toHaveLength(0)
  })

  it.each([
    ['no carrier says in time that it rings', 32016, 'no-answer', 408, 'nothing'],
    ['a carrier never says anything', 32016, 'unreachable', 408, 'nothing'],
    ['nobody picks up', undefined, 'no-answer', 408, 'ringing'],
    ['a carrier refuses', undefined, 'rejected', 486, 'nothing'],
    ['an answer of ours is never acknowledged', 32022, 'no-ack', 200, 'ringing'],
  ] as const)('when %s, the event log has %s', async (_what, code, cause, status, before) => {
    await using t = await setUpCalls()
    const wanted = { to: '+15005550001', from: '+15551112222', plan: PLAN }
    const { sid } = await t.calls.create(t.account, wanted)
    const leg = await t.telephony.leg(0)
    if (before === 'ringing') leg.progress()
    leg.end(cause, status)
    // The next carrier's, where the first was not reached.
    if (cause === 'unreachable') (await t.telephony.leg(1)).end('rejected', 486)
    await t.completed()
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 50)
    const warnings = events.filter(({ kind }) => kind === 'warning')
    expect(warnings.map(({ detail }) => detail['code'])).toEqual(code === undefined ? [] : [code])
  })

  it('fails a call that no carrier takes, and its event log says so (32012)', async () => {
    await using t = await setUpCalls()
    const wanted = { to: '+442079460018', from: '+15551112222', plan: PLAN }
    const { sid } = await t.calls.create(t.account, wanted)
    expect(await t.completed()).toEqual(['initiated', 'failed'])
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 50)
    const warnings = events.filter(({ kind }) => kind === 'warning')
    expect(warnings.map(({ detail }) => detail)).toMatchObject([
      { code: 32012, message: 'no carrier has a prefix of this number' },
    ])
  })

  it('fails a call whose carrier has a host without an address, and its event log says so (32012)', async () => {
    await using t = await setUpCalls()
    const at = {
      host: 'nowhere.test',
      port: undefined,
      transport: 'udp',
      prefixes: ['+44'],
    } as const
    const rank = { priority: 1, weight: 1, addresses: [], settings: DEFAULT_CARRIER_SETTINGS }
    await t.carriers.put({ name: 'north', ...at, ...rank })
    const wanted = { to: '+442079460018', from: '+15551112222', plan: PLAN }
    const { sid } = await t.calls.create(t.account, wanted)
    expect(await t.completed()).toEqual(['initiated', 'failed'])
    await t.events.flush()
    const { events } = await t.events.list(sid, { type: 'offset', offset: 0 }, 50)
    const warnings = events.filter(({ kind }) => kind === 'warning')
    expect(warnings.map(({ detail }) => detail)).toMatchObject([
      { code: 32012, message: 'the host of carrier north has no address' },
    ])
  })

  it.each([
    ['completed', 'canceled'],
    ['canceled', 'canceled'],
  ] as const)('an update to %s while ringing ends it as %s', async (end, status) => {
    await using t = await setUpCalls()
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
    await using t = await setUpCalls(() => {
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

  it('sends its digits after the answer, and not again before each further document', async () => {
    const runs: DocumentSource[] = []
    const parties: ChildCall[] = []
    await using t = await setUpCalls(async (source, host) => {
      runs.push(source)
      const wanted = { ...PARTY, sendDigits: '34' }
      if (runs.length === 2) parties.push(await host.placeCall(wanted, TALK_ON))
      return await new Promise(() => undefined)
    })
    const wanted = { to: '+15005550001', from: '+15551112222', plan: { ...PLAN, sendDigits: '12' } }
    const call = await t.calls.create(t.account, wanted)
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await waitUntil('its document runs', () => runs.length === 1)
    const document = { type: 'inline', text: '<Response/>' } as const
    await t.calls.update(t.account.sid, call.sid, { document })
    const partyLeg = await t.telephony.leg(1)
    partyLeg.pickUp()
    await waitUntil('digits are sent to the party', () => partyLeg.asked.includes('digits 34'))
    const [party] = parties
    await t.calls.update(t.account.sid, party?.sid ?? '', { document })
    await waitUntil('the party has its own document', () => runs.length === 3)
    expect(leg.asked.filter((asked) => asked.startsWith('digits'))).toEqual(['digits 12'])
    expect(partyLeg.asked.filter((asked) => asked.startsWith('digits'))).toEqual(['digits 34'])
  })

  it('goes on with its new document when the old one ends in the same moment', async () => {
    const ends: ((end: MarkupEnd) => void)[] = []
    await using t = await setUpCalls(() => new Promise<MarkupEnd>((resolve) => ends.push(resolve)))
    const wanted = { to: '+15005550001', from: '+15551112222', plan: PLAN }
    const { sid } = await t.calls.create(t.account, wanted)
    const leg = await t.telephony.leg(0)
    leg.pickUp()
    await waitUntil('its document runs', () => ends.length === 1)
    const document = { type: 'inline', text: '<Response/>' } as const
    const updated = t.calls.update(t.account.sid, sid, { document })
    await Promise.resolve()
    ends[0]?.({ type: 'finished' })
    await updated
    expect(ends).toHaveLength(2)
    // Whatever the first document's end leads to comes before this.
    await t.calls.update(t.account.sid, sid, { timeLimitSeconds: 60 })
    expect(leg.asked).not.toContain('hangup')
    expect((await t.calls.fetch(t.account.sid, sid)).status).toBe('in-progress')
  })

  it('lets a called party go on with its new document when the Dial ends in the same moment', async () => {
    const parties: ChildCall[] = []
    const runs: DocumentSource[] = []
    await using t = await setUpCalls(async (source, host) => {
      runs.push(source)
      if (runs.length === 1) parties.push(await host.placeCall(PARTY, TALK_ON))
      return await new Promise(() => undefined)
    })
    await t.calls.create(t.account, { to: '+15005550001', from: '+15551112222', plan: PLAN })
    ;(await t.telephony.leg(0)).pickUp()
    const leg = await t.telephony.leg(1)
    leg.pickUp()
    await waitUntil('the party is called', () => parties.length === 1)
    const [party] = parties
    if (party === undefined) throw new Error('unreachable')
    const state = async () => (await t.calls.fetch(t.account.sid, party.sid)).status
    await waitUntil('the party has answered', async () => (await state()) === 'in-progress')
    const document = { type: 'inline', text: '<Response/>' } as const
    const updated = t.calls.update(t.account.sid, party.sid, { document })
    await Promise.resolve()
    party.hangup()
    await updated
    // Whatever the hangup leads to comes before this.
    await t.calls.update(t.account.sid, party.sid, { timeLimitSeconds: 60 })
    expect(leg.asked).not.toContain('hangup')
    expect(await state()).toBe('in-progress')
    expect(runs).toHaveLength(2)
  })

  it('lets a call talk for as long as its time limit says, and for four hours without one', async () => {
    let passedMs = 0
    const hours = (count: number) => count * 3_600_000
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs }
    await using t = await setUpCalls(undefined, {}, {}, clock)
    const wanted = { to: '+15005550001', from: '+15551112222' }
    const long = { ...wanted, plan: { ...PLAN, timeLimitSeconds: 8 * 3_600 } }
    const { sid } = await t.calls.create(t.account, long)
    const first = await t.telephony.leg(0)
    const other = await t.calls.create(t.account, { ...wanted, plan: PLAN })
    const legs = [first, await t.telephony.leg(1)] as const
    for (const leg of legs) leg.pickUp()
    const state = async (call: string) => (await t.calls.fetch(t.account.sid, call)).status
    for (const call of [sid, other.sid])
      await waitUntil('it talks', async () => (await state(call)) === 'in-progress')
    passedMs = hours(7)
    await waitUntil('the other one is hung up', () => legs[1].asked.includes('hangup'))
    expect(legs[0].asked).not.toContain('hangup')
    passedMs = hours(9)
    await waitUntil('it is hung up', () => legs[0].asked.includes('hangup'))
  })

  it('hangs up when the document is finished, and declines when it says so', async () => {
    await using t = await setUpCalls(() => Promise.resolve({ type: 'rejected', reason: 'busy' }))
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
    expect(leg.asked).toEqual(['ring', 'hangup 486'])
  })

  it.each([
    ['an unknown number', {}, { rejected: [404], dropped: 0 }, 404],
    [
      'an unknown address',
      { source: { address: '203.0.113.9', port: 5060, transport: 'udp' } },
      { rejected: [403], dropped: 0 },
      403,
    ],
    ['a scanner', { userAgent: 'friendly-scanner' }, { rejected: [], dropped: 1 }, 0],
  ])('%s gets nothing allocated, and is counted', async (_title, invite, expected, status) => {
    await using t = await setUpCalls()
    const seen = t.telephony.invite(invite)
    await expect.poll(() => seen.rejected.length + seen.dropped).toBe(1)
    expect(seen).toEqual(expected)
    expect([...t.refusedCalls.counts]).toEqual([[status, 1]])
    expect(t.telephony.legs).toHaveLength(0)
    expect((await t.calls.list(t.account.sid, {}, { offset: 0, limit: 10 })).total).toBe(0)
  })

  it('refuses to place calls while a server is away, and stores nothing', async () => {
    await using t = await setUpCalls()
    t.telephony.setHealth({ signaling: 'up', media: 'down' })
    const wanted = { to: '+15005550001', from: '+15551112222', plan: PLAN }
    await expect(t.calls.create(t.account, wanted)).rejects.toMatchObject({
      code: 'telephony-unavailable',
    })
    expect((await t.calls.list(t.account.sid, {}, { offset: 0, limit: 10 })).total).toBe(0)
  })

  it('keeps another account from seeing a call', async () => {
    await using t = await setUpCalls()
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
