import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { CarrierPeer, type CarrierScript, hasDigest } from '../support/sip/carrier-peer.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { waitUntil, waitWhileMoving } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const CALLEE = '+15557770001'
/** The called party is busy: the carrier has done its part. */
const BUSY: CarrierScript = () => ({ status: 486 })

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline({ MAX_QUEUED_CALLS: '2000' })
  app = await startVoiceApp()
  app.page('/voice', '<Pause length="30"/>')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
afterEach(async () => {
  for (const { name } of await carriers()) if (name !== 'lab') await remove(name)
  await expectNothingLeft(trunkline)
})

interface Shown {
  readonly name: string
  readonly state: {
    readonly servers: readonly {
      readonly state: string
      readonly reason: string | null
      readonly until: number | null
    }[]
    readonly calls: number | null
    readonly registration: { readonly state: string; readonly status: number | null } | null
  }
}

async function carriers(): Promise<readonly Shown[]> {
  const { body } = await trunkline.adminApi('GET', '/carriers')
  return body['carriers'] as readonly Shown[]
}

async function stateOf(name: string): Promise<Shown['state'] | undefined> {
  return (await carriers()).find((carrier) => carrier.name === name)?.state
}

async function put(name: string, peer: { readonly port: number }, more: object = {}) {
  const carrier = { host: '127.0.0.1', port: peer.port, prefixes: ['+1555'], ...more }
  const answer = await trunkline.adminApi('PUT', `/carriers/${name}`, carrier)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

const remove = (name: string) => trunkline.adminApi('DELETE', `/carriers/${name}`)

const create = (more: Readonly<Record<string, string>> = {}) =>
  trunkline.createCall({ To: CALLEE, From: '+15551110000', Url: `${app.url}/voice`, ...more })

async function ended(sid: string): Promise<string> {
  const isOver = (status: string) =>
    !['queued', 'initiated', 'ringing', 'in-progress'].includes(status)
  await waitUntil(
    'the call is over',
    async () => isOver((await trunkline.fetchCall(sid)).status),
    LIMIT_MS,
  )
  return (await trunkline.fetchCall(sid)).status
}

/** Places a call and resolves with its final status. */
const call = async (more?: Readonly<Record<string, string>>) => ended((await create(more)).sid)

async function warningsOf(sid: string): Promise<string> {
  const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
  return JSON.stringify(body)
}

describe('a carrier that we register at', () => {
  const USER = { username: 'acme-user', password: 'acme secret', realm: 'acme.test' }
  const registrar: CarrierScript = (request) =>
    hasDigest(request, USER)
      ? { status: 200, headers: [['Contact', `${headerOf(request, 'contact')};expires=2`]] }
      : {
          status: 401,
          headers: [['WWW-Authenticate', 'Digest realm="acme.test",nonce="n1",qop="auth"']],
        }

  it('has our contact, refreshed before it expires and removed with the carrier', async () => {
    using peer = await CarrierPeer.open(registrar)
    await put('acme', peer, {
      registerSeconds: 600,
      auth: { username: USER.username, password: USER.password, realm: USER.realm },
    })
    const first = await peer.request('REGISTER')
    expect(first.startLine).toBe(`REGISTER sip:127.0.0.1:${String(peer.port)} SIP/2.0`)
    expect(headerOf(first, 'to')).toContain('<sip:acme-user@127.0.0.1')
    expect(headerOf(first, 'authorization')).toBe('')
    expect(headerOf(first, 'expires')).toBe('600')
    expect(headerOf(await peer.request('REGISTER', 1), 'contact')).toContain(
      `<sip:acme-user@127.0.0.1:${String(trunkline.sipPort)}`,
    )
    await waitUntil(
      'registered',
      async () => (await stateOf('acme'))?.registration?.state === 'registered',
      LIMIT_MS,
    )
    // The registrar grants two seconds: another REGISTER comes, in the same registration.
    const refreshed = await peer.request('REGISTER', 2)
    expect(headerOf(refreshed, 'call-id')).toBe(headerOf(first, 'call-id'))
    expect(Number.parseInt(headerOf(refreshed, 'cseq'), 10)).toBeGreaterThan(
      Number.parseInt(headerOf(first, 'cseq'), 10),
    )
    await remove('acme')
    await waitUntil(
      'a REGISTER that removes the contact',
      () => peer.of('REGISTER').some((request) => headerOf(request, 'expires') === '0'),
      LIMIT_MS,
    )
  })

  it('is shown as refused with a wrong password, and is not asked again at once', async () => {
    using peer = await CarrierPeer.open(registrar)
    await put('acme', peer, {
      registerSeconds: 600,
      auth: { username: USER.username, password: 'wrong' },
    })
    await waitUntil(
      'refused',
      async () => (await stateOf('acme'))?.registration?.state === 'refused',
      LIMIT_MS,
    )
    expect((await stateOf('acme'))?.registration?.status).toBe(401)
    expect(peer.of('REGISTER')).toHaveLength(2)
  })

  it('gets the lifetime that it wants when ours is too brief', async () => {
    using peer = await CarrierPeer.open((request) =>
      headerOf(request, 'expires') === '30'
        ? { status: 423, headers: [['Min-Expires', '120']] }
        : { status: 200 },
    )
    await put('acme', peer, {
      registerSeconds: 30,
      auth: { username: USER.username, password: USER.password },
    })
    expect(headerOf(await peer.request('REGISTER', 1), 'expires')).toBe('120')
  })
})

describe('a carrier that is dead', () => {
  it('is passed over while OPTIONS finds it down, and used again once it answers', async () => {
    using dead = await CarrierPeer.open(() => undefined)
    using second = await CarrierPeer.open(BUSY)
    await put('dead', dead, { priority: 1, probeSeconds: 1 })
    await put('second', second, { priority: 2 })
    const down = async () => (await stateOf('dead'))?.servers[0]?.state === 'down'
    await waitUntil('the carrier is down', down, LIMIT_MS)
    expect((await stateOf('dead'))?.servers[0]?.reason).toBe('no answer to OPTIONS')
    expect(await call()).toBe('busy')
    expect([dead.of('INVITE').length, second.of('INVITE').length]).toEqual([0, 1])

    dead.script = ({ method }) => ({ status: method === 'OPTIONS' ? 200 : 486 })
    await waitUntil('the carrier is up', async () => !(await down()), LIMIT_MS)
    expect(await call()).toBe('busy')
    expect([dead.of('INVITE').length, second.of('INVITE').length]).toEqual([1, 1])
  })

  it('costs a call no more than its time for progress, and the calls after it nothing', async () => {
    using dead = await CarrierPeer.open(() => undefined)
    using second = await CarrierPeer.open(BUSY)
    await put('dead', dead, { priority: 1, progressSeconds: 1 })
    await put('second', second, { priority: 2 })
    let calls = 0
    let tried: number
    let pausedUntil: number
    // A pause that is over before the next call is through doubles: a busy machine gets its time.
    do {
      calls += 1
      expect(await call()).toBe('busy')
      tried = dead.of('INVITE').length
      pausedUntil = (await stateOf('dead'))?.servers[0]?.until ?? 0
      calls += 1
      expect(await call()).toBe('busy')
    } while (Date.now() >= pausedUntil)
    expect(dead.of('INVITE')).toHaveLength(tried)
    expect(second.of('INVITE')).toHaveLength(calls)
  })

  it('is tried for as long as the call rings when there is no other', async () => {
    using slow = await CarrierPeer.open(() => undefined)
    await put('slow', slow, { progressSeconds: 1 })
    const { sid } = await create()
    await slow.request('INVITE')
    slow.script = BUSY
    expect(await ended(sid)).toBe('busy')
  })
})

describe('the answers of a carrier', () => {
  it.each([403, 408, 488, 500, 503, 606])('%i leads to the next one', async (status) => {
    using first = await CarrierPeer.open(() => ({ status }))
    using second = await CarrierPeer.open(BUSY)
    await put('first', first, { priority: 1 })
    await put('second', second, { priority: 2 })
    const { sid } = await create()
    expect(await ended(sid)).toBe('busy')
    const seen = [first.of('INVITE').length, second.of('INVITE').length]
    const states = JSON.stringify(await carriers())
    const log = trunkline.server.log().slice(-4_000)
    expect(seen, `${states} ${await warningsOf(sid)} ${log}`).toEqual([1, 1])
  })

  it.each([404, 480, 484, 486, 600, 603, 604])('%i ends the call', async (status) => {
    using first = await CarrierPeer.open(() => ({ status }))
    using second = await CarrierPeer.open(BUSY)
    await put('first', first, { priority: 1 })
    await put('second', second, { priority: 2 })
    await call()
    expect([first.of('INVITE').length, second.of('INVITE').length]).toEqual([1, 0])
  })

  it('503 with Retry-After keeps calls away for that long', async () => {
    using first = await CarrierPeer.open(() => ({
      status: 503,
      headers: [['Retry-After', '60 (busy)']],
    }))
    using second = await CarrierPeer.open(BUSY)
    await put('first', first, { priority: 1 })
    await put('second', second, { priority: 2 })
    await call()
    await call()
    expect([first.of('INVITE').length, second.of('INVITE').length]).toEqual([1, 2])
    expect((await stateOf('first'))?.servers[0]?.reason).toBe('it asked for a pause of 60 s')
  })
})

describe('a carrier that challenges', () => {
  const USER = { username: 'acme-user', password: 'acme secret', realm: 'acme.test' }
  const challenges =
    (realm: string): CarrierScript =>
    (request) =>
      hasDigest(request, { ...USER, realm })
        ? { status: 486 }
        : {
            status: 407,
            headers: [['Proxy-Authenticate', `Digest realm="${realm}",nonce="n1",qop="auth"`]],
          }
  const auth = { username: USER.username, password: USER.password, realm: USER.realm }

  it('gets the credentials of its realm', async () => {
    using peer = await CarrierPeer.open(challenges(USER.realm))
    await put('acme', peer, { auth })
    expect(await call()).toBe('busy')
    expect(peer.of('INVITE')).toHaveLength(2)
  })

  it('gets none for another realm', async () => {
    using peer = await CarrierPeer.open(challenges('other.test'))
    await put('acme', peer, { auth })
    expect(await call()).toBe('failed')
    expect(peer.of('INVITE')).toHaveLength(1)
  })
})

describe('what a carrier reads', () => {
  it('is as its settings write it', async () => {
    using peer = await CarrierPeer.open(BUSY)
    await put('acme', peer, {
      prefixes: ['+44', '+1555'],
      numberFormat: 'national',
      countryCode: '44',
      trunkPrefix: '0',
      techPrefix: '99',
      callerIdHeader: 'P-Asserted-Identity',
      fromUser: 'trunk7',
      fromHost: 'customer.test',
      headers: { 'X-Trunk': 'seven' },
      codecs: ['PCMA'],
    })
    await call({ To: '+442079460018' })
    const invite = await peer.request('INVITE')
    expect(invite.startLine).toMatch(/^INVITE sip:9902079460018@127\.0\.0\.1:\d+;transport=udp SIP/)
    expect(headerOf(invite, 'from')).toMatch(/^<sip:trunk7@customer\.test>;tag=/)
    expect(headerOf(invite, 'p-asserted-identity')).toBe('<sip:0015551110000@customer.test>')
    expect(headerOf(invite, 'x-trunk')).toBe('seven')
    expect(invite.body).toMatch(/^m=audio \d+ RTP\/AVP 8 \d+\r$/m)
    await call()
    expect((await peer.request('INVITE', 1)).startLine).toMatch(/^INVITE sip:990015557770001@/)
  })

  it('comes to a carrier that is known by name', async () => {
    using peer = await CarrierPeer.open(BUSY)
    await put('named', peer, { host: 'localhost' })
    expect(await call()).toBe('busy')
    expect((await peer.request('INVITE')).startLine).toContain(`@localhost:${String(peer.port)};`)
  })

  it('of its numbers is understood in its calls', async () => {
    const number = '+442079460019'
    await trunkline.assignNumber(number, { voiceUrl: `${app.url}/voice` })
    using caller = await SipPeer.open()
    // Beside real servers the carrier of the phones is an entry like others, and the first with this address.
    await trunkline.adminApi('DELETE', '/carriers/lab')
    await put('acme', caller, {
      numberFormat: 'national',
      countryCode: '44',
      trunkPrefix: '0',
      addresses: ['127.0.0.0/8'],
    })
    const incoming = caller.call(trunkline.sipPort, {
      user: '02079460019',
      from: '<sip:01632960000@127.0.0.1>;tag=national',
    })
    await incoming.response(180)
    const { body } = await trunkline.api('GET', `/Calls.json?To=${encodeURIComponent(number)}`)
    expect(body['calls']).toMatchObject([{ from: '+441632960000', to: number }])
    incoming.cancel()
    await incoming.response(487)
  })

  it.each([
    ['P-Asserted-Identity', '<tel:01632960001>', {}, '+441632960001'],
    ['P-Asserted-Identity', '<sip:x@127.0.0.1>, <TEL:%2B44-1632-960002>', {}, '+441632960002'],
    ['P-Asserted-Identity', '<tel:01632960001>', { Privacy: 'id' }, 'anonymous'],
    ['Remote-Party-ID', '"Ann" <sip:01632960003@x>;party=calling;privacy=off', {}, '+441632960003'],
    ['Remote-Party-ID', '<sip:01632960003@x>;party=calling;privacy=full', {}, 'anonymous'],
    ['Remote-Party-ID', '<sip:01632960003@x>;party=called', {}, '+441632960000'],
    ['From', '', { 'P-Asserted-Identity': '<tel:01632960001>' }, '+441632960000'],
  ])('of its callers is read: %s %s %o', async (callerIdHeader, value, others, from) => {
    const number = '+442079460021'
    await trunkline.assignNumber(number, { voiceUrl: `${app.url}/voice` })
    using caller = await SipPeer.open()
    await trunkline.adminApi('DELETE', '/carriers/lab')
    const format = { numberFormat: 'national', countryCode: '44', trunkPrefix: '0' }
    await put('acme', caller, { ...format, callerIdHeader, addresses: ['127.0.0.0/8'] })
    const said = callerIdHeader === 'From' ? others : { [callerIdHeader]: value, ...others }
    const incoming = caller.call(trunkline.sipPort, {
      user: '02079460021',
      from: '"Pilot" <sip:01632960000@127.0.0.1>;tag=pilot',
      headers: Object.entries(said),
    })
    await incoming.response(180)
    const { body } = await trunkline.api('GET', `/Calls.json?To=${encodeURIComponent(number)}`)
    const [call] = body['calls'] as unknown[]
    expect(call).toMatchObject({ from, to: number })
    incoming.cancel()
    await incoming.response(487)
  })
})

describe('the limits of a carrier', () => {
  it('keep to its calls at once; the call beyond goes to the next, or fails with 32001', async () => {
    using small = await CarrierPeer.open(({ method }) =>
      method === 'INVITE' ? { status: 180 } : { status: 200 },
    )
    await put('small', small, { maxCalls: 3 })
    const sids = await Promise.all(Array.from({ length: 20 }, async () => (await create()).sid))
    const over = async () =>
      (await Promise.all(sids.map((sid) => trunkline.fetchCall(sid)))).filter(
        ({ status }) => status === 'failed',
      )
    await waitUntil('17 calls have failed', async () => (await over()).length === 17, LIMIT_MS)
    // Those that have a slot may send their INVITEs after the others have failed.
    await waitUntil('three are sent', () => small.of('INVITE').length >= 3, LIMIT_MS)
    expect((await stateOf('small'))?.calls).toBe(3)
    const [failed] = await over()
    expect(await warningsOf(failed?.sid ?? '')).toContain('32001')
    for (const sid of sids)
      await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'canceled' })
    expect(small.of('INVITE')).toHaveLength(3)
    small.script = ({ method }) => ({ status: method === 'INVITE' ? 486 : 200 })
    await waitUntil(
      'its slots are free',
      async () => (await stateOf('small'))?.calls === 0,
      LIMIT_MS,
    )
    expect(await call()).toBe('busy')
  })

  it('keep to its calls a second', async () => {
    using slow = await CarrierPeer.open(BUSY)
    using rest = await CarrierPeer.open(BUSY)
    await put('slow', slow, { priority: 1, callsPerSecond: 1 })
    await put('rest', rest, { priority: 2 })
    const begun = performance.now()
    await Promise.all(Array.from({ length: 10 }, () => call()))
    const seconds = (performance.now() - begun) / 1_000
    expect(slow.of('INVITE').length).toBeGreaterThanOrEqual(1)
    expect(slow.of('INVITE').length).toBeLessThanOrEqual(2 + seconds)
    expect(slow.of('INVITE').length + rest.of('INVITE').length).toBe(10)
  })

  it('share 1,000 calls by weight, all at the better priority', async () => {
    using one = await CarrierPeer.open(BUSY)
    using three = await CarrierPeer.open(BUSY)
    using backup = await CarrierPeer.open(BUSY)
    await put('one', one, { priority: 1, weight: 1 })
    await put('three', three, { priority: 1, weight: 3 })
    await put('backup', backup, { priority: 2 })
    const total = () => one.of('INVITE').length + three.of('INVITE').length
    for (let wave = 1; wave <= 40; wave++) {
      await Promise.all(Array.from({ length: 25 }, () => create()))
      const isSent = () => {
        expect(backup.of('INVITE')).toHaveLength(0)
        return total() === wave * 25
      }
      await waitWhileMoving('the wave was sent', isSent, total)
    }
    // Seven standard deviations of 1,000 draws with p = 0.75.
    expect(Math.abs(three.of('INVITE').length - 750)).toBeLessThan(96)
  })
})

it('a carrier without what it needs is refused, with the field named', async () => {
  const wrong = [
    [{ registerSeconds: 60 }, 'registerSeconds'],
    [{ numberFormat: 'national' }, 'countryCode'],
    [{ codecs: [] }, 'codecs'],
    [{ headers: { Via: 'x' } }, 'headers'],
    [{ headers: { 'X-A': 'a\r\nVia: b' } }, 'headers'],
    [{ maxCalls: 0 }, 'maxCalls'],
    [{ callerIdHeader: 'Via' }, 'callerIdHeader'],
  ] as const
  for (const [more, field] of wrong) {
    const answer = await trunkline.adminApi('PUT', '/carriers/bad', { host: '192.0.2.1', ...more })
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining(field),
    ])
  }
  expect(await stateOf('bad')).toBeUndefined()
})

describe('a caller who is led on to a carrier', () => {
  it('has one hop less there, so that a circle ends (RFC 7332 §4.1)', async () => {
    using peer = await CarrierPeer.open(BUSY)
    // The caller is known by it: earlier tests have removed every other carrier.
    await put('onward', peer, { addresses: ['127.0.0.0/8'] })
    app.page('/onward', `<Dial>${CALLEE}</Dial>`)
    await trunkline.assignNumber('+15553330000', { voiceUrl: `${app.url}/onward` })
    using phone = await SipPeer.open()
    const caller = phone.call(trunkline.sipPort, { user: '15553330000' })
    expect(headerOf(caller.invite, 'max-forwards')).toBe('70')
    const onward = await peer.request('INVITE')
    expect(headerOf(onward, 'max-forwards')).toBe('69')
    expect(headerOf(onward, 'diversion')).toBe('<sip:+15553330000@127.0.0.1>;reason=unconditional')
  })
})
