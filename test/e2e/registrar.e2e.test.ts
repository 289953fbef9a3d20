import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import {
  challengeFor,
  RegisterClient,
  type RegisterOptions,
} from '../support/sip/register-client.js'
import { sipp } from '../support/sip/sipp.js'
import {
  createSoftphoneDomain,
  PASSWORD,
  type SoftphoneDomain,
} from '../support/sip/softphone-domain.js'

let trunkline: RunningTrunkline
let acme: SoftphoneDomain

beforeAll(async () => {
  trunkline = await startTrunkline()
  const users = ['alice', 'bob', 'carol', 'dave', 'sipp-udp', 'sipp-tcp']
  acme = await createSoftphoneDomain(trunkline, users, { DomainName: 'acme.example' })
})
afterAll(() => trunkline[Symbol.asyncDispose]())

/** A softphone on an address of its own, so that the mistakes of one test do not slow another. */
let nextHost = 1
const phone = (address = `127.0.1.${nextHost++}`) => RegisterClient.open(trunkline.sipPort, address)
const alice = { domain: 'acme.example', user: 'alice' }

describe('a REGISTER', () => {
  it.each(['MD5', 'SHA-256'] as const)('is accepted by %s', async (algorithm) => {
    await using client = await phone()
    const answer = await client.register({ ...alice, user: 'bob', algorithm, expires: 120 })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.headers('Contact')[0]).toMatch(/^<sip:bob@127\.0\.1\.\d+:\d+>;expires=120/)
    expect((await client.register({ ...alice, user: 'bob', expires: 0 })).status).toBe(200)
  })

  it('is accepted over TCP, and shown with its connection', async () => {
    await using client = await RegisterClient.open(trunkline.sipPort, '127.0.1.200', 'TCP')
    expect((await client.register({ ...alice, user: 'bob', expires: 120 })).status).toBe(200)
    expect(await acme.registrations()).toContainEqual(
      expect.objectContaining({
        username: 'bob',
        transport: 'tcp',
        received_from: `127.0.1.200:${client.port}`,
      }),
    )
    expect((await client.register({ ...alice, user: 'bob', expires: 0 })).status).toBe(200)
    expect(await acme.registrations()).toEqual([])
  })

  it('without credentials is challenged, SHA-256 first (RFC 8760)', async () => {
    await using client = await phone()
    const answer = await client.send(alice)
    expect(answer.status).toBe(401)
    expect(
      answer.headers('WWW-Authenticate').map((each) => /algorithm=([^,]*)/.exec(each)?.[1]),
    ).toEqual(['SHA-256', 'MD5'])
  })

  it('with a wrong password, of an unknown user, and for another user is refused', async () => {
    await using client = await phone()
    const wrong = await client.register({ ...alice, password: 'NotThePassword1' })
    const nobody = await client.register({ ...alice, user: 'nobody' })
    const other = await client.register({ ...alice, aor: 'bob' })
    expect([wrong.status, nobody.status, other.status]).toEqual([403, 403, 403])
    expect(wrong.headers('Warning')).toEqual(nobody.headers('Warning'))
    expect(wrong.headers('Warning')[0]).toContain('32202')
    expect(other.headers('Warning')[0]).toContain('32212')
  })

  it('with a used nonce is challenged anew; with the next count it is accepted', async () => {
    await using client = await phone()
    const challenge = challengeFor(await client.send(alice), 'SHA-256')
    const again = (count: number) => client.register({ ...alice, reuse: { challenge, count } })
    expect((await again(1)).status).toBe(200)
    expect((await again(2)).status).toBe(200)
    const replayed = await again(2)
    expect(replayed.status).toBe(401)
    expect(replayed.headers('WWW-Authenticate')[0]).not.toContain('stale')
    expect((await again(3)).status).toBe(200)
  })

  it('with a nonce of another domain, or one that was changed, is challenged anew', async () => {
    await createSoftphoneDomain(trunkline, ['alice'], { DomainName: 'other.example' })
    await using client = await phone()
    const there = await client.send({ domain: 'other.example', user: 'alice' })
    const foreign = challengeFor(there, 'MD5')
    for (const challenge of [foreign, foreign.replace(/nonce="./, 'nonce="0')]) {
      const answer = await client.register({ ...alice, reuse: { challenge, count: 1 } })
      expect(answer.status).toBe(401)
    }
  })

  it('and what else a softphone sends is refused with a digest for another URI', async () => {
    await using client = await phone()
    const asked = [
      { ...alice, claims: 'sip:other.example' },
      { ...alice, calls: 'bob', claims: 'sip:+19005551234@acme.example' },
      { ...alice, writesTo: 'bob', claims: 'sip:acme.example' },
    ]
    for (const options of asked) expect((await client.register(options)).status).toBe(400)
    const served = { ...alice, expires: 60, claims: 'sip:ACME.example:5060;transport=UDP' }
    expect((await client.register(served)).status).toBe(200)
    expect((await client.register({ ...alice, expires: 0 })).status).toBe(200)
  })

  it('that asks for too little time gets 423 with the least', async () => {
    await using client = await phone()
    const answer = await client.register({ ...alice, expires: 59 })
    expect([answer.status, answer.headers('Min-Expires')]).toEqual([423, ['60']])
    const long = await client.register({ ...alice, expires: 1_000_000 })
    expect(long.headers('Contact')[0]).toContain('expires=86400')
  })

  it.each([
    ['a telephone number', '<tel:+15551112222>'],
    ['an instance that is none', '<sip:a@192.0.2.1>;+sip.instance="x"'],
    ['a star without Expires: 0', '*'],
    ['an address that would write a Route', '<sip:a@192.0.2.1?Route=%3Csip:192.0.2.66%3E>'],
    ['a flow beyond 2^31', '<sip:a@192.0.2.1>;+sip.instance="<urn:uuid:1>";reg-id=4294967295'],
  ])('with %s as Contact gets 400', async (_title, contact) => {
    await using client = await phone()
    const answer = await client.register({ ...alice, contact })
    expect([answer.status, answer.headers('Warning')[0]?.includes('32105')]).toEqual([400, true])
  })

  it.each<[string, RegisterOptions, number, string, string]>([
    [
      'requires what is not known',
      { ...alice, headers: ['Require: gruu, x-teleport'] },
      420,
      'Unsupported',
      'x-teleport',
    ],
    [
      'has a Contact of 5,000 characters',
      { ...alice, contact: `<sip:${'a'.repeat(5_000)}@192.0.2.1>` },
      513,
      'Warning',
      '',
    ],
  ])('that %s is refused, and registers nothing', async (_title, options, status, name, value) => {
    await using client = await phone()
    const answer = await client.register(options)
    expect([answer.status, answer.headers(name).join()]).toEqual([status, value])
  })

  it.each([
    ['Digest', 401],
    ['Digest username="alice', 401],
    ['Digest realm="trunkline", realm="trunkline"', 401],
    [`Basic ${'A'.repeat(300)}`, 401],
    ['Digest username="alice", realm="trunkline", nonce="", uri="", response=""', 401],
    ['AKAv1-MD5 username="alice"', 401],
  ])('with the Authorization %s is challenged', async (authorization, status) => {
    await using client = await phone()
    const answer = await client.send(alice, `Authorization: ${authorization}`)
    expect(answer.status).toBe(status)
    expect(answer.headers('WWW-Authenticate')).toHaveLength(2)
  })

  it('with a lower CSeq than an obeyed one of its Call-ID changes nothing', async () => {
    await using client = await phone()
    const carol = { domain: 'acme.example', user: 'carol' }
    client.sequence = 50
    expect((await client.register({ ...carol, expires: 120 })).status).toBe(200)
    client.sequence = 10
    expect((await client.register({ ...carol, expires: 0 })).status).toBe(500)
    const query = await client.register({ ...carol, contact: '' })
    expect([query.status, query.headers('Contact')]).toEqual([
      200,
      [expect.stringContaining('expires=1')],
    ])
    client.sequence = 100
    expect((await client.register({ ...carol, expires: 0 })).status).toBe(200)
  })

  it('of several contacts keeps them by preference; a star removes all', async () => {
    await using client = await phone()
    const carol = { domain: 'acme.example', user: 'carol' }
    const contact = '<sip:c@192.0.2.1>;q=0.3, <sip:c@192.0.2.2>;q=0.9;expires=90'
    const answer = await client.register({ ...carol, contact, expires: 120 })
    expect(answer.headers('Contact').join(', ')).toMatch(
      /^<sip:c@192\.0\.2\.2>;expires=90;q=0\.9, <sip:c@192\.0\.2\.1>;expires=120;q=0\.3/,
    )
    const query = await client.register({ ...carol, contact: '' })
    expect(query.headers('Contact').join(', ')).toContain('192.0.2.1')
    const star = await client.register({ ...carol, contact: '*', expires: 0 })
    expect([star.status, star.headers('Contact')]).toEqual([200, []])
  })

  it('with an instance takes the place of the same one, and gets a GRUU where it asks', async () => {
    await using client = await phone()
    const dave = { domain: 'acme.example', user: 'dave' }
    const instance = '+sip.instance="<urn:uuid:00000000-0000-1000-8000-aabbccddeeff>";reg-id=1'
    const headers = ['Supported: gruu, outbound']
    await client.register({ ...dave, contact: `<sip:d@192.0.2.1>;${instance}`, headers })
    const answer = await client.register({
      ...dave,
      contact: `<sip:d@192.0.2.9>;${instance}`,
      headers,
    })
    expect(answer.headers('Require')).toEqual(['outbound'])
    const [contact = ''] = answer.headers('Contact')
    expect(contact).toContain('<sip:d@192.0.2.9>')
    expect(contact).not.toContain('192.0.2.1>')
    expect(contact).toContain(
      'pub-gruu="sip:dave@acme.example;gr=urn:uuid:00000000-0000-1000-8000-aabbccddeeff"',
    )
  })

  it('at a domain without SipRegistration, a secure one, or an unmapped one is refused', async () => {
    await using client = await phone()
    await createSoftphoneDomain(trunkline, ['alice'], {
      DomainName: 'closed.example',
      SipRegistration: 'false',
    })
    await createSoftphoneDomain(trunkline, ['alice'], { DomainName: 'tls.example', Secure: 'true' })
    const unmapped = await trunkline.api('POST', '/SIP/Domains.json', {
      DomainName: 'empty.example',
      SipRegistration: 'true',
    })
    expect(unmapped.status).toBe(201)
    const at = async (domain: string) => {
      const answer = await client.register({ domain, user: 'alice' })
      return [answer.status, /"(\d+)/.exec(answer.headers('Warning')[0] ?? '')?.[1]]
    }
    expect(await at('closed.example')).toEqual([403, '32212'])
    expect(await at('tls.example')).toEqual([403, '32209'])
    expect(await at('empty.example')).toEqual([403, '32202'])
  })

  it('is kept over a restart of the server', async () => {
    using folder = tempFolder()
    const env = {
      DATA_DIR: join(folder.path, 'data'),
      FIRST_ACCOUNT_SID: `AC${'a'.repeat(32)}`,
      FIRST_ACCOUNT_TOKEN: 'b'.repeat(32),
    }
    const first = await startTrunkline(env)
    const domain = await createSoftphoneDomain(first, ['alice'], { DomainName: 'a.example' })
    await using client = await RegisterClient.open(first.sipPort)
    await client.register({ domain: 'a.example', user: 'alice', expires: 600 })
    const before = await domain.registrations()
    expect(before).toHaveLength(1)
    await first[Symbol.asyncDispose]()
    await using second = await startTrunkline(env)
    const path = `/SIP/Domains/${domain.sid}/Registrations.json`
    expect((await second.api('GET', path)).body['registrations']).toEqual(before)
  })

  it('behind a NAT is kept alive by OPTIONS', async () => {
    await using client = await phone()
    const natted = { ...alice, contact: '<sip:alice@192.168.1.2:5060>' }
    expect((await client.register(natted)).status).toBe(200)
    await expect.poll(() => client.optionsReceived, { timeout: 40_000 }).toBeGreaterThan(0)
  }, 60_000)
})

// Debian's SIPp has no TLS.
describe.each(['udp', 'tcp'] as const)('SIPp over %s', (transport) => {
  const user = `sipp-${transport}`
  const registers = (password: string) =>
    sipp({
      scenario: 'uac-registers',
      target: `127.0.0.1:${trunkline.sipPort}`,
      transport,
      service: user,
      keys: { domain: 'acme.example', expires: '120' },
      extra: ['-au', user, '-ap', password],
    })
  const registered = async () =>
    (await acme.registrations()).filter(({ username }) => username === user)

  it('registers and is shown; a wrong password is refused and changes nothing', async () => {
    await registers(PASSWORD)
    const shown = await registered()
    expect(shown).toMatchObject([{ transport, user_agent: 'SIPp' }])
    await expect(registers('NotThePassword1')).rejects.toThrow('403 Forbidden')
    expect(await registered()).toEqual(shown)
  })
})

describe('guessing passwords [B16]', () => {
  it('a hundred times from one address costs nobody else a registration', async () => {
    await using attacker = await phone('127.0.9.10')
    const guesses = Array.from({ length: 100 }, (_, guess) => ({
      ...alice,
      user: ['alice', 'bob', 'carol', 'dave'][guess % 4] ?? '',
      password: `Guess1234567y${guess}`,
    }))
    const challenge = challengeFor(await attacker.send(alice), 'SHA-256')
    // Most of them are not answered, in the end: nobody waits for those.
    const answers = guesses.map((guess, at) =>
      attacker.send(guess, attacker.authorize(guess, challenge, at + 1)).catch(() => undefined),
    )
    for (const user of ['alice', 'bob', 'carol', 'dave']) {
      await using office = await phone()
      expect((await office.register({ ...alice, user })).status).toBe(200)
    }
    attacker.giveUp()
    const statuses = (await Promise.all(answers)).map((answer) => answer?.status)
    expect(statuses).not.toContain(200)
    expect(statuses.filter((status) => status === 403).length).toBeLessThanOrEqual(10)
  })

  it('slows its source down after ten, and nobody else', async () => {
    await using attacker = await phone('127.0.9.9')
    await using office = await phone()
    expect((await office.register(alice)).status).toBe(200)
    const statuses: number[] = []
    for (let guess = 0; guess < 14; guess++)
      statuses.push(
        (await attacker.register({ ...alice, password: `Guess1234567x${guess}` })).status,
      )
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(403))
    expect(statuses.slice(10)).toEqual(Array(4).fill(503))
    // The right password of a throttled source is not tried either.
    expect((await attacker.register(alice)).status).toBe(503)
    expect((await office.register(alice)).status).toBe(200)
    await using elsewhere = await phone()
    expect((await elsewhere.register(alice)).status).toBe(200)
  })

  it('takes as long for a user who exists as for one who does not', async ({ task }) => {
    const times = { exists: [] as number[], absent: [] as number[] }
    for (let round = 0; round < 60; round++)
      for (const [kind, user] of [
        ['exists', 'alice'],
        ['absent', 'zoe'],
      ] as const) {
        // Each from an address of its own: none is throttled.
        await using client = await phone(`127.0.${kind === 'exists' ? 20 : 21}.${round + 1}`)
        const name = kind === 'exists' ? user : `${user}${round}`
        const challenge = challengeFor(await client.send({ ...alice, user: name }), 'SHA-256')
        const wrong = { ...alice, user: name, password: 'NotThePassword1' }
        const authorization = client.authorize(wrong, challenge, 1)
        const startedAt = performance.now()
        await client.send(wrong, authorization)
        times[kind].push(performance.now() - startedAt)
      }
    const median = (all: number[]) => [...all].sort((a, b) => a - b)[all.length >> 1] ?? 0
    // How much two answers differ anyway, on a machine that has other work.
    const spread = (all: number[]) => {
      const sorted = [...all].sort((a, b) => a - b)
      return (sorted[(3 * all.length) >> 2] ?? 0) - (sorted[all.length >> 2] ?? 0)
    }
    const difference = Math.abs(median(times.exists) - median(times.absent))
    reportRow(task, 'B16', {
      'ms, user exists': median(times.exists).toFixed(2),
      'ms, user does not': median(times.absent).toFixed(2),
    })
    expect(difference).toBeLessThan(1 + Math.max(spread(times.exists), spread(times.absent)))
  })
})
