import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { callRest } from '../support/account/rest-client.js'
import { openLab } from '../support/media/lab.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { followEvents } from '../support/process/operator-events.js'
import {
  type RunningTrunkline,
  startTrunkline,
  type WireCall,
} from '../support/process/trunkline.js'
import { digestAnswer } from '../support/sip/digest-answer.js'
import { type OutgoingOptions, type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { headerOf, type PeerMessage } from '../support/sip/sip-peer-message.js'
import { waitUntil } from '../support/time/wait-until.js'

const LIMIT_MS = 20_000
const SERVER = '127.0.0.1'
/** The addresses of the operator's carrier, of the customer's PBX, and of nobody. */
const CARRIER = '127.0.0.2'
const PBX = '127.0.0.3'
const NOBODY = '127.0.0.4'
const CALLEE = '+15557770001'
const CALLER = '15557770100'
const NUMBER = '+15557770200'
const OTHER = '+15557770201'
const OUTSIDE = '+15553334444'
const PASSWORD = 'abc1234'

let lab: Lab
let trunkline: RunningTrunkline
let carrier: SipPeer
let pbx: SipPeer
let stranger: SipPeer
/** A caller behind the carrier, and a second trunk of the PBX. */
let outside: SipPeer
let secondTrunk: SipPeer
let username: string

beforeAll(async () => {
  // Servers that are not the product's own, so that this machine is no carrier.
  lab = await openLab()
  trunkline = await startTrunkline({
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  })
  ;[carrier, pbx, stranger, outside, secondTrunk] = await Promise.all([
    SipPeer.open(CARRIER, SERVER),
    SipPeer.open(PBX, SERVER),
    SipPeer.open(NOBODY, SERVER),
    SipPeer.open(CARRIER, SERVER),
    SipPeer.open(PBX, SERVER),
  ])
  await putCarrier()
  await waitUntil('both servers are up', async () => (await ready()) === 200, LIMIT_MS)
  username = (await rest('GET', '/account'))['username'] as string
  await rest('POST', '/acl', { acl: [{ cidr: `${PBX}/32` }] })
})
afterAll(async () => {
  for (const peer of [carrier, pbx, stranger, outside, secondTrunk]) peer.close()
  await trunkline[Symbol.asyncDispose]()
  await lab[Symbol.asyncDispose]()
})

/** Sets the operator's carrier, with settings beside its address. */
async function putCarrier(more: object = {}): Promise<void> {
  const put = await trunkline.adminApi('PUT', '/carriers/acme', {
    host: CARRIER,
    port: carrier.port,
    prefixes: ['+1'],
    addresses: [`${CARRIER}/32`],
    ...more,
  })
  expect(put.status).toBe(200)
}

const ready = async () => (await fetch(`${trunkline.http}/readyz`)).status

/** Sends a request of the account to the account API; resolves with the `data` of its answer. */
const rest = (method: string, path: string, body?: object) =>
  callRest(trunkline, method, path, body)

const authenticateBy = (authType: number) => rest('PUT', '/auth', { authType, password: PASSWORD })

const dial = (peer: SipPeer, options: OutgoingOptions = {}): PeerCall =>
  peer.call(lab.sipPort, {
    user: CALLEE,
    from: `<sip:${CALLER}@${PBX}>;tag=${String(Math.random())}`,
    ...options,
  })

const requestUriOf = ({ invite }: PeerCall) => invite.startLine.split(' ')[1] ?? ''

/** Resolves with the final response to the INVITE. */
async function finalOf(call: PeerCall): Promise<number> {
  const finals = () =>
    call.log.filter(
      (message) => (message.status ?? 0) >= 200 && headerOf(message, 'cseq').endsWith('INVITE'),
    )
  await waitUntil(
    'a final response',
    () => finals().length > 0,
    LIMIT_MS,
    () => call.log.map(({ startLine }) => startLine),
  )
  return finals()[0]?.status ?? 0
}

/** Places a call and answers its challenge. The carrier says busy, so that 486 means admitted. */
async function outcomeOf(peer: SipPeer, password: string | undefined): Promise<number> {
  const invited = carrier.calls.length
  const first = dial(peer)
  const answered = waitUntil(
    'an answer',
    () => carrier.calls.length > invited || first.log.some(({ status = 0 }) => status >= 200),
    LIMIT_MS,
  )
  await answered
  carrier.calls[invited]?.respond(486, 'Busy Here')
  const status = await finalOf(first)
  if (status !== 401 || password === undefined) return status
  const refusal = await first.response(401)
  const value = digestAnswer(refusal, { username, password }, requestUriOf(first))
  const second = dial(peer, { headers: [['Authorization', value]] })
  await waitUntil(
    'an answer to the credentials',
    () => carrier.calls.length > invited || second.log.some(({ status: got = 0 }) => got >= 200),
    LIMIT_MS,
  )
  carrier.calls[invited]?.respond(486, 'Busy Here')
  return await finalOf(second)
}

/** Waits until the peer has heard so many seconds of audio, from now on. */
async function hearsSeconds(peer: SipPeer, seconds: number): Promise<void> {
  peer.rtp.forget()
  const wanted = seconds * 8_000
  await waitUntil('audio was heard', () => peer.rtp.heard().length >= wanted, LIMIT_MS)
}

async function calls(): Promise<WireCall[]> {
  return (await trunkline.api('GET', '/Calls.json?PageSize=100')).body['calls'] as WireCall[]
}

describe("a customer's PBX", () => {
  it.each<[number, 'listed' | 'another', string | undefined, number]>([
    [0, 'listed', undefined, 401],
    [0, 'another', PASSWORD, 486],
    [0, 'another', 'wrong77', 403],
    [1, 'listed', undefined, 486],
    [1, 'another', PASSWORD, 403],
    [2, 'listed', undefined, 486],
    [2, 'another', PASSWORD, 486],
    [3, 'listed', PASSWORD, 486],
    [3, 'another', PASSWORD, 403],
  ])('by authType %i, at the %s address, with password %s gets %i', async (...row) => {
    const [authType, place, password, status] = row
    await authenticateBy(authType)
    expect(await outcomeOf(place === 'listed' ? pbx : stranger, password)).toBe(status)
    await expectNothingLeft(trunkline)
  })

  it('hears early media, talks, presses keys and hangs up; each leg has its record', async () => {
    await authenticateBy(1)
    const before = new Set((await calls()).map(({ sid }) => sid))
    const invited = carrier.nextCall(LIMIT_MS)
    const outgoing = dial(pbx)
    const incoming = await invited
    expect(incoming.invite.startLine).toContain(`sip:${CALLEE}@${CARRIER}`)
    expect(headerOf(incoming.invite, 'from')).toContain(`sip:+${CALLER}@`)
    carrier.rtp.speak(620)
    pbx.rtp.speak(440)
    incoming.respond(183, 'Session Progress', { sdp: carrier.sdp() })
    await outgoing.response(183, 'INVITE', LIMIT_MS)
    await pbx.rtp.waitForTone(620)
    await incoming.answer()
    await outgoing.response(200, 'INVITE', LIMIT_MS)
    carrier.rtp.forget()
    await Promise.all([carrier.rtp.waitForTone(440), pbx.rtp.waitForTone(620)])
    await pbx.rtp.sendDigit('5')
    await carrier.rtp.waitForDigits('5')
    await hearsSeconds(carrier, 1)
    outgoing.reinvite(pbx.sdp({ direction: 'sendonly', version: 2 }))
    const isOfHold = (message: PeerMessage) => headerOf(message, 'cseq') === '2 INVITE'
    await waitUntil(
      'the hold is answered',
      () => outgoing.log.some((message) => message.status === 200 && isOfHold(message)),
      LIMIT_MS,
    )
    outgoing.bye()
    await incoming.request('BYE', LIMIT_MS)
    await expectNothingLeft(trunkline)
    const made = (await calls()).filter(({ sid }) => !before.has(sid))
    const parent = made.find((call) => call['direction'] === 'inbound')
    const child = made.find((call) => call['direction'] === 'outbound-dial')
    expect(made).toHaveLength(2)
    expect(parent).toMatchObject({ status: 'completed', from: `+${CALLER}`, to: CALLEE })
    expect(child).toMatchObject({ status: 'completed', parent_call_sid: parent?.sid, to: CALLEE })
    const { cdr } = await rest('GET', '/account/cdr')
    const records = (cdr as { value: Record<string, string> }[])
      .filter(({ value }) => value['dst'] === CALLEE && Number(value['dur']) > 0)
      .map(({ value }) => [value['ip'], value['cid'], value['dur']])
    expect(records.toSorted()).toEqual(
      [parent, child].map((call) => [PBX, `+${CALLER}`, String(call?.['duration'])]).toSorted(),
    )
  })

  it('takes its call back, and the called party is canceled', async () => {
    const invited = carrier.nextCall(LIMIT_MS)
    const outgoing = dial(pbx)
    const incoming = await invited
    incoming.ring()
    await outgoing.response(180, 'INVITE', LIMIT_MS)
    outgoing.cancel()
    await incoming.request('CANCEL', LIMIT_MS)
    expect(await finalOf(outgoing)).toBe(487)
    await expectNothingLeft(trunkline)
  })
})

describe('a call to a number', () => {
  const path = `/numbers/${encodeURIComponent(NUMBER)}`

  /** A carrier's call to the number. */
  const comesIn = (): PeerCall =>
    outside.call(lab.sipPort, {
      user: NUMBER,
      from: `<sip:${OUTSIDE}@${CARRIER}>;tag=${String(Math.random())}`,
    })

  /** Resolves with the user of the INVITE that the next call makes at a peer, which refuses it. */
  async function userAt(peer: SipPeer): Promise<string> {
    const invited = peer.nextCall(LIMIT_MS)
    const outgoing = comesIn()
    const incoming = await invited
    incoming.respond(486, 'Busy Here')
    expect(await finalOf(outgoing)).toBe(486)
    await expectNothingLeft(trunkline)
    return /^INVITE sip:([^@]*)@/.exec(incoming.invite.startLine)?.[1] ?? ''
  }

  it('goes where the API sends it: gateway, prefix, translation, limit, forward, and back', async () => {
    await trunkline.assignNumber(NUMBER, {})
    expect(await finalOf(comesIn())).toBe(480)
    const place = `${NOBODY}:${String(stranger.port)},${PBX}:${String(pbx.port)}`
    const { id } = await rest('POST', '/gateways', {
      gateway: `${PBX}:${String(pbx.port)}`,
      limit: 1,
    })
    const gateway = `/gateways/${String(id)}`
    await rest('PUT', `${path}/route`, { route: id })
    expect(await userAt(pbx)).toBe(NUMBER.slice(1))
    await rest('PUT', gateway, { prefix: '9' })
    await rest('PUT', `${path}/translation`, { translation: '4711' })
    expect(await userAt(pbx)).toBe('94711')

    // One call at once: the second one is told that the gateway is busy.
    const invited = pbx.nextCall(LIMIT_MS)
    const first = comesIn()
    const incoming = await invited
    await incoming.answer()
    await first.response(200, 'INVITE', LIMIT_MS)
    expect(await finalOf(comesIn())).toBe(486)
    await rest('PUT', gateway, { limit: 2 })
    expect(await userAt2(pbx)).toBe('94711')
    await rest('PUT', gateway, { limit: 1 })
    const reached = pbx.calls.length
    expect(await finalOf(comesIn())).toBe(486)
    expect(pbx.calls).toHaveLength(reached)
    first.bye()
    await incoming.request('BYE', LIMIT_MS)
    await expectNothingLeft(trunkline)

    // The first host is out of order: the next one is tried.
    await rest('PUT', gateway, { gateway: place })
    const refused = stranger.nextCall(LIMIT_MS)
    const rescued = pbx.nextCall(LIMIT_MS)
    const outgoing = comesIn()
    ;(await refused).respond(503, 'Service Unavailable')
    ;(await rescued).respond(486, 'Busy Here')
    expect(await finalOf(outgoing)).toBe(486)

    await rest('PUT', `${path}/forward`, { destination: CALLEE })
    expect(await userAt(carrier)).toBe(CALLEE)
    await rest('DELETE', `${path}/forward`)
    await rest('PUT', gateway, { gateway: `${PBX}:${String(pbx.port)}`, prefix: '' })
    expect(await userAt(pbx)).toBe('4711')
    await rest('PUT', `${path}/translation`, { translation: '' })
    expect(await userAt(pbx)).toBe(NUMBER.slice(1))
    await rest('PUT', `${path}/route`, { route: 3 })
    expect(await finalOf(comesIn())).toBe(480)
  })

  it('says when it is forwarded, to the carrier and to a gateway, with the caller of their settings', async () => {
    await trunkline.assignNumber(NUMBER, {})
    await trunkline.assignNumber(OTHER, {})
    const told = async (peer: SipPeer) => {
      const invited = peer.nextCall(LIMIT_MS)
      const outgoing = comesIn()
      const incoming = await invited
      incoming.respond(486, 'Busy Here')
      expect(await finalOf(outgoing)).toBe(486)
      await expectNothingLeft(trunkline)
      const header = (name: string) => headerOf(incoming.invite, name)
      return [/sip:([^@]*)@/.exec(header('from'))?.[1], header('diversion'), header('history-info')]
    }
    const diversion = (host: string) => `<sip:${NUMBER}@${host}>;reason=unconditional`
    const history = (host: string, to: string) =>
      `<sip:${NUMBER}@${host}>;index=1, <sip:${to}@${host};cause=302>;index=1.1;mp=1`
    await rest('PUT', `${path}/forward`, { destination: CALLEE })
    const shown = [OUTSIDE, diversion(CARRIER), history(CARRIER, CALLEE)]
    expect(await told(carrier)).toEqual(shown)
    await putCarrier({ forwardedCaller: 'number' })
    expect(await told(carrier)).toEqual([NUMBER, ...shown.slice(1)])
    await putCarrier()

    const host = `${PBX}:${String(pbx.port)}`
    const { id } = await rest('POST', '/gateways', {
      gateway: host,
      prefix: '5',
      forwardedCaller: 'number',
    })
    await rest('PUT', `/numbers/${OTHER.slice(2)}/route`, { route: id })
    await rest('PUT', `${path}/forward`, { destination: OTHER })
    const [from, ...others] = await told(pbx)
    expect(from).toBe(NUMBER)
    expect(others[0]).toBe(diversion(host))
    await rest('PUT', `/gateways/${String(id)}`, { forwardedCaller: 'caller' })
    expect((await told(pbx))[0]).toBe(OUTSIDE)
    await rest('DELETE', `${path}/forward`)
  })

  it('shows the name that the API sets for it, and none once it is cleared', async () => {
    await trunkline.assignNumber(NUMBER, {})
    const shown = async () => {
      const invited = carrier.nextCall(LIMIT_MS)
      await trunkline.createCall({ To: CALLEE, From: NUMBER, Markup: '<Response/>' })
      const incoming = await invited
      incoming.respond(486, 'Busy Here')
      return incoming.invite.headers.find(([name]) => name === 'from')?.[1]
    }
    expect(await shown()).toMatch(/^<sip:/)
    await rest('PUT', `${path}/lidb`, { cnam: 'ACME INC' })
    expect(await shown()).toMatch(/^"ACME INC" <sip:/)
    await rest('PUT', `${path}/lidb`, { cnam: '' })
    expect(await shown()).toMatch(/^<sip:/)
    await expectNothingLeft(trunkline)
  })

  /** As `userAt`, while another call is up. */
  async function userAt2(peer: SipPeer): Promise<string> {
    const invited = peer.nextCall(LIMIT_MS)
    const outgoing = comesIn()
    const incoming = await invited
    incoming.respond(486, 'Busy Here')
    await finalOf(outgoing)
    return /^INVITE sip:([^@]*)@/.exec(incoming.invite.startLine)?.[1] ?? ''
  }

  it('from a PBX of this server comes in at once', async () => {
    await authenticateBy(1)
    await trunkline.assignNumber(NUMBER, {})
    const gateway = `${PBX}:${String(pbx.port)}`
    const { id } = await rest('POST', '/gateways', { gateway, prefix: '8' })
    await rest('PUT', `${path}/route`, { route: id })
    const invited = pbx.nextCall(LIMIT_MS)
    const outgoing = dial(secondTrunk, { user: NUMBER })
    const incoming = await invited
    incoming.respond(486, 'Busy Here')
    expect(await finalOf(outgoing)).toBe(486)
    await expectNothingLeft(trunkline)
  })
})

describe('the money of a PBX call', () => {
  it('is needed for the call, and charged for the leg to the called party by its length', async () => {
    await authenticateBy(1)
    const imported = await fetch(`${trunkline.admin}/rates/imports`, {
      method: 'POST',
      headers: { authorization: `Bearer ${trunkline.adminToken}`, 'content-type': 'text/csv' },
      body: 'prefix,rate,minimum,increment\n+1,6,1,1\n',
    })
    expect(await imported.json()).toMatchObject({ status: 'completed', added: 1 })
    expect(await finalOf(dial(pbx))).toBe(402)
    const account = `/accounts/${trunkline.account.sid}`
    await trunkline.adminApi('POST', `${account}/adjustments`, { amount: 10 })
    const invited = carrier.nextCall(LIMIT_MS)
    const outgoing = dial(pbx)
    const incoming = await invited
    await incoming.answer()
    await outgoing.response(200, 'INVITE', LIMIT_MS)
    await hearsSeconds(carrier, 1.6)
    outgoing.bye()
    await incoming.request('BYE', LIMIT_MS)
    await expectNothingLeft(trunkline)
    const [child, ...others] = (await calls()).filter((call) => Number(call['price']) < 0)
    expect([child?.['direction'], others]).toEqual(['outbound-dial', []])
    const seconds = Math.max(1, Number(child?.['duration']))
    // Six dollars a minute are ten cents a second.
    expect(Number(child?.['price'])).toBeCloseTo(-seconds / 10, 10)
    const { body } = await trunkline.adminApi('GET', `${account}/balance`)
    expect(body).toMatchObject({ balance: 10 - seconds / 10, reserved: 0 })
  })
})

describe('an emergency call of a PBX', () => {
  it.each([
    '911',
    'urn:service:sos',
  ])('to %s goes out with its location, whatever is full or spent, and not without a record', async (called) => {
    const { sid } = trunkline.account
    const account = `/accounts/${sid}`
    await trunkline.adminApi('PATCH', account, { isAdministrator: true })
    await rest('PUT', '/account', { e911: true })
    await authenticateBy(1)
    const held = '+12125550143'
    await trunkline.assignNumber(held, {})
    await rest('POST', '/e911', {
      address1: '350 Fifth Ave',
      city: 'New York',
      state: 'NY',
      zip: '10118',
      dn: held.slice(2),
      callername: 'Acme Ltd',
    })
    const psap = await trunkline.adminApi('PUT', '/carriers/psap', {
      host: CARRIER,
      port: outside.port,
      prefixes: [],
      emergency: true,
    })
    expect(psap.status).toBe(200)
    // One call is up, which is as many as the account may have, and more than it can pay for.
    await trunkline.adminApi('POST', `${account}/adjustments`, { amount: 20 })
    const invited = carrier.nextCall(LIMIT_MS)
    const ordinary = dial(pbx)
    const up = await invited
    await up.answer()
    await ordinary.response(200, 'INVITE', LIMIT_MS)
    await trunkline.adminApi('PATCH', account, { settings: { concurrentCalls: 1 } })
    expect(await finalOf(dial(pbx))).toBe(486)
    await trunkline.adminApi('POST', `${account}/adjustments`, { amount: -100 })

    await using alarms = await followEvents(trunkline)
    const target = called.startsWith('urn:') ? { uri: called } : { user: called }
    const shows = (number: string) => `<sip:${number}@${PBX}>;tag=${String(Math.random())}`
    const refused = dial(secondTrunk, { ...target, from: shows(NUMBER) })
    expect(await finalOf(refused)).toBe(403)
    const answer = refused.log.find(({ status }) => status === 403)
    expect(answer && headerOf(answer, 'warning')).toContain('13225')
    await waitUntil(
      'the alarm is raised',
      () => alarms.has('"emergency"', '"refused"', NUMBER),
      LIMIT_MS,
    )

    const arriving = outside.nextCall(LIMIT_MS)
    const helped = dial(secondTrunk, { ...target, from: shows(held) })
    const call = await arriving
    const { invite } = call
    expect(invite.startLine).toContain('sip:911@')
    expect(headerOf(invite, 'from')).toContain(`"Acme Ltd" <sip:${held}@`)
    expect(headerOf(invite, 'geolocation')).toMatch(/^<cid:.+>$/)
    expect(invite.body).toContain('<ca:HNO>350</ca:HNO>')
    await call.answer()
    await helped.response(200, 'INVITE', LIMIT_MS)
    helped.bye()
    await call.request('BYE', LIMIT_MS)
    ordinary.bye()
    await waitUntil('the other call is over', () => up.log.some(isBye), LIMIT_MS)
    await expectNothingLeft(trunkline)
    await trunkline.adminApi('PATCH', account, { settings: { concurrentCalls: null } })
    await trunkline.adminApi('POST', `${account}/adjustments`, { amount: 100 })
  })

  const isBye = ({ startLine }: PeerMessage) => startLine.startsWith('BYE ')
})
