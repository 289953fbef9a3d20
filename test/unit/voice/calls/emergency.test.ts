import { describe, expect, it } from 'vitest'
import { parseStreet } from '../../../../src/emergency/address/parse-street.js'
import { keepAddress } from '../../../../src/emergency/emergency-addresses.js'
import { putEmergencyRecord } from '../../../../src/emergency/emergency-records.js'
import { beginProvision } from '../../../../src/emergency/provisions.js'
import { DEFAULT_CARRIER_SETTINGS } from '../../../../src/voice/carriers/carrier.js'
import type { RecordedEvent } from '../../../../src/voice/events/call-event.js'
import { NumberBlockedError } from '../../../../src/voice/model/call-errors.js'
import { waitUntil } from '../../../support/time/wait-until.js'
import { PLAN, setUpCalls } from '../../../support/voice/calls-fixture.js'

type Fixture = Awaited<ReturnType<typeof setUpCalls>>

const NUMBER = '+12125550143'
const POSTAL = {
  address1: '350 Fifth Ave',
  address2: '',
  city: 'New York',
  state: 'NY',
  zip: '10118',
}

/** Gives the account a number; with `address` also its emergency record. */
async function give(t: Fixture, { address }: { readonly address: boolean }): Promise<void> {
  const { number } = await t.numbers.assign(t.account.sid, NUMBER, {})
  if (!address) return
  const street = parseStreet(POSTAL.address1, POSTAL.address2)
  if (street === undefined) throw new Error('the street was not read')
  const location = {
    country: 'US',
    state: 'NY',
    city: 'New York',
    postalCode: '10118',
    ...street,
  } as const
  const kept = await keepAddress(t, t.account.sid, { ...POSTAL, location, source: 'test' })
  await beginProvision(t.db, NUMBER, 0)
  await putEmergencyRecord(t, number, 'Acme Ltd', kept)
}

/** Marks a carrier for emergencies that takes no ordinary call. */
async function emergencyCarrier(t: Fixture, more: object = {}): Promise<void> {
  await t.carriers.put({
    name: 'psap',
    host: '127.0.0.1',
    port: 5099,
    transport: 'udp',
    prefixes: [],
    priority: 1,
    weight: 1,
    addresses: [],
    settings: { ...DEFAULT_CARRIER_SETTINGS, isEmergency: true, ...more },
  })
}

const dial911 = (t: Fixture, from = NUMBER) =>
  t.calls.create(t.account, { to: '911', from, plan: PLAN })

/** The alarms of emergency calls so far. */
function alarmsOf(t: Fixture): RecordedEvent[] {
  const alarms: RecordedEvent[] = []
  t.events.onEvent((event) => {
    if (event.kind === 'emergency') alarms.push(event)
  })
  return alarms
}

describe('a call to 911', () => {
  it('is refused without an address, and the alarm says why', async () => {
    await using t = await setUpCalls()
    const alarms = alarmsOf(t)
    await emergencyCarrier(t)
    await give(t, { address: false })
    await expect(dial911(t)).rejects.toBeInstanceOf(NumberBlockedError)
    await expect(dial911(t, '+15551112222')).rejects.toThrow(/has no emergency address/)
    expect(alarms.map(({ detail }) => detail['verdict'])).toEqual(['refused', 'refused'])
    expect(alarms[0]?.detail).toMatchObject({ number: '911', caller: NUMBER })
    expect(t.telephony.legs).toHaveLength(0)
  })

  it('is refused with the address of another account', async () => {
    await using t = await setUpCalls()
    await emergencyCarrier(t)
    await give(t, { address: true })
    const other = await t.accounts.create({ friendlyName: 'other' })
    const wanted = { to: '911', from: NUMBER, plan: PLAN }
    await expect(t.calls.create(other, wanted)).rejects.toBeInstanceOf(NumberBlockedError)
  })

  it('goes to the marked carrier with its location and its name', async () => {
    await using t = await setUpCalls()
    const alarms = alarmsOf(t)
    await emergencyCarrier(t, { emergencyTo: 'service' })
    await give(t, { address: true })
    const call = await dial911(t)
    const { request } = await t.telephony.leg(0)
    expect(request).toMatchObject({
      uri: 'sip:911@127.0.0.1:5099;transport=udp',
      to: 'urn:service:sos',
      from: { user: NUMBER, displayName: 'Acme Ltd' },
      headers: {
        Geolocation: `<cid:${call.sid}@location.invalid>`,
        'Geolocation-Routing': 'yes',
        Priority: 'emergency',
      },
      parts: [{ contentType: 'application/pidf+xml', contentId: `${call.sid}@location.invalid` }],
    })
    expect(request?.parts?.[0]?.content).toContain('<ca:HNO>350</ca:HNO>')
    expect(alarms.map(({ detail }) => detail['verdict'])).toEqual(['admitted'])
  })

  it('passes every limit: channels, rate, queue, delay, fraud and the carrier', async () => {
    await using t = await setUpCalls(undefined, {
      maxCalls: 1,
      callsPerSecond: 0.001,
      maxWaiting: 1,
      maxDelayMs: 60_000,
    })
    await emergencyCarrier(t, { maxCalls: 1, callsPerSecond: 0.1 })
    await give(t, { address: true })
    await t.accounts.update(t.account.sid, {
      settings: {
        concurrentCalls: 1,
        callsToOneNumber: 1,
        minutesPerDay: 1,
        callerIds: 'owned-or-verified',
      },
    })
    const limited = await t.accounts.find(t.account.sid)
    if (limited === undefined) throw new Error('the account has gone')
    const place = (to: string) => t.calls.create(limited, { to, from: NUMBER, plan: PLAN })
    await place('+15005550001')
    await t.telephony.leg(0)
    await expect(place('+15005550001')).rejects.toThrow()
    const late = Number.MAX_SAFE_INTEGER
    for (let call = 0; call < 4; call += 1) t.overload.end(t.overload.begin(late - 90_000), late)
    expect(t.overload.delayMs(0)).toBeGreaterThan(60_000)
    await place('911')
    await place('911')
    expect((await t.telephony.leg(1)).request?.uri).toContain('sip:911@')
    expect((await t.telephony.leg(2)).request?.uri).toContain('sip:911@')
  })

  it('ends when no carrier is marked, and the event log says so', async () => {
    await using t = await setUpCalls()
    await give(t, { address: true })
    const call = await dial911(t)
    expect(await t.completed()).toEqual(['initiated', 'failed'])
    await t.events.flush()
    const events = await t.events.list(call.sid, { type: 'offset', offset: 0 }, 50)
    expect(JSON.stringify(events)).toContain('no carrier is marked for emergency calls')
  })
})

it('a call to 933 is no emergency, and has its location', async () => {
  await using t = await setUpCalls()
  await emergencyCarrier(t, { emergencyTo: 'service' })
  await give(t, { address: true })
  await t.calls.create(t.account, { to: '933', from: NUMBER, plan: PLAN })
  const { request } = await t.telephony.leg(0)
  expect(request?.uri).toContain('sip:933@')
  expect(request?.to).toBeUndefined()
  expect(request?.headers).not.toHaveProperty('Priority')
  expect(request?.parts).toHaveLength(1)
})

it.each([
  ['with an address is taken', true, 0],
  ['without an address is refused', false, 403],
])("a PBX's call to 911 %s, whatever is full", async (_title, address, status) => {
  await using t = await setUpCalls(undefined, { maxCalls: 0 })
  await give(t, { address })
  await t.accounts.update(t.account.sid, { profile: { authType: 1 } })
  await t.accessLists.add(t.account.sid, ['198.41.0.9/32'])
  const party = (user: string) => ({ user, host: '198.51.100.1', uri: `sip:${user}@198.51.100.1` })
  const seen = t.telephony.invite({
    requestUri: party('911'),
    to: party('911'),
    from: party(NUMBER),
    source: { address: '198.41.0.9', port: 5060, transport: 'udp' },
  })
  await waitUntil('an answer', () => seen.rejected.length > 0 || seen.leg !== undefined)
  expect(seen.rejected[0] ?? 0).toBe(status)
})
