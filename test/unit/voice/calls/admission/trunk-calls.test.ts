import { describe, expect, it } from 'vitest'
import type { AuthType } from '../../../../../src/accounts/account-profile.js'
import { changeNumberSettings } from '../../../../../src/numbers/number-settings.js'
import { answerChallenge, parseChallenge } from '../../../../../src/platform/sip-digest/digest.js'
import type { IncomingInvite, ResponseHeaders } from '../../../../../src/voice/telephony/port.js'
import { waitUntil } from '../../../../support/time/wait-until.js'
import { setUpCalls } from '../../../../support/voice/calls-fixture.js'

/** An address of no carrier, on the access list of the account. */
const LISTED = '198.41.0.9'
const ELSEWHERE = '198.41.7.9'
const USERNAME = '2025550100'
const PASSWORD = 'abc1234'
/** A number that a carrier of the fixture takes. */
const CALLEE = '+15005550001'

type Voice = Awaited<ReturnType<typeof setUpCalls>>

interface Given {
  readonly authType?: AuthType
  readonly services?: { readonly intl: boolean }
  readonly callerId?: string
  readonly settings?: object
}

async function setUp(given: Given = {}) {
  const t = await setUpCalls()
  const account = await t.accounts.create({ friendlyName: 'PBX', username: USERNAME })
  const { authType = 1, services = { intl: false }, callerId, settings = {} } = given
  await t.accounts.update(account.sid, { profile: { services, callerId }, settings })
  await t.sipAuthentication.update(account.sid, { password: PASSWORD, authType })
  await t.accessLists.add(account.sid, [`${LISTED}/32`])
  return { ...t, account, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() }
}

const party = (user: string) => ({ user, host: '198.51.100.1', uri: `sip:${user}@198.51.100.1` })

interface Asked {
  readonly from?: string
  readonly to?: string
  readonly headers?: IncomingInvite['headers']
}

/** Resolves with the refusal of an INVITE, or with 200 once it was taken. */
async function ask(
  { telephony }: Pick<Voice, 'telephony'>,
  address: string,
  { from = '+12025550143', to = CALLEE, headers = [] }: Asked = {},
): Promise<{ readonly status: number; readonly headers: ResponseHeaders }> {
  const answers: { readonly status: number; readonly headers: ResponseHeaders }[] = []
  const seen = telephony.invite({
    requestUri: party(to),
    to: party(to),
    from: party(from),
    source: { address, port: 5060, transport: 'udp' },
    headers,
    reject: (status, _reason, more = {}) => answers.push({ status, headers: more }),
  })
  await waitUntil('an answer', () => answers.length > 0 || seen.leg !== undefined)
  return answers[0] ?? { status: 200, headers: {} }
}

function answerTo(
  headers: ResponseHeaders,
  password: string,
  username = USERNAME,
  uri = `sip:${CALLEE}@198.51.100.1`,
) {
  const values = headers['WWW-Authenticate'] ?? []
  const [first = ''] = typeof values === 'string' ? [values] : values
  const challenge = parseChallenge(first)
  if (challenge === undefined) throw new Error(`no challenge: ${first}`)
  const value = answerChallenge(challenge, {
    username,
    password,
    method: 'INVITE',
    uri,
    count: 1,
    clientNonce: 'c1',
  })
  return [{ name: 'authorization', value }]
}

/** What an INVITE comes to, with the answer to its challenge when it is asked for one. */
async function outcomeOf(t: Voice, address: string, password: string): Promise<number> {
  const first = await ask(t, address)
  if (first.status !== 401) return first.status
  return (await ask(t, address, { headers: answerTo(first.headers, password) })).status
}

describe("a call of an account's own equipment", () => {
  it.each<[AuthType, string, string, number]>([
    [0, 'listed', 'right', 200],
    [0, 'listed', 'wrong', 403],
    [0, 'another', 'right', 200],
    [0, 'another', 'wrong', 403],
    [1, 'listed', 'wrong', 200],
    [1, 'another', 'right', 403],
    [2, 'listed', 'wrong', 200],
    [2, 'another', 'right', 200],
    [2, 'another', 'wrong', 403],
    [3, 'listed', 'right', 200],
    [3, 'listed', 'wrong', 403],
    [3, 'another', 'right', 403],
    [3, 'another', 'wrong', 403],
  ])('with authType %i, of the %s address, with the %s password gets %i', async (...row) => {
    const [authType, place, password, status] = row
    await using t = await setUp({ authType })
    const address = place === 'listed' ? LISTED : ELSEWHERE
    expect(await outcomeOf(t, address, password === 'right' ? PASSWORD : 'wrong77')).toBe(status)
  })

  it('is asked for digest by 401, and one answer admits one call', async () => {
    await using t = await setUp({ authType: 0 })
    const asked = await ask(t, ELSEWHERE)
    expect(asked.status).toBe(401)
    const headers = answerTo(asked.headers, PASSWORD)
    expect((await ask(t, ELSEWHERE, { headers })).status).toBe(200)
    expect((await ask(t, ELSEWHERE, { headers })).status).toBe(401)
  })

  it.each([
    ['the Request-URI', `sip:${CALLEE}@198.51.100.1`, 200],
    ['the Request-URI with a parameter', `sip:${CALLEE}@198.51.100.1;transport=udp`, 200],
    ['the address of the next hop, as SIPp does', 'sip:127.0.0.1:5060', 200],
    ['another number', 'sip:+15005550999@198.51.100.1', 400],
    ['no number at another host', 'sip:elsewhere.example', 400],
    ['no URI', 'somewhere', 400],
  ])('whose digest is for %s', async (_title, uri, status) => {
    await using t = await setUp({ authType: 0 })
    const asked = await ask(t, ELSEWHERE)
    const headers = answerTo(asked.headers, PASSWORD, USERNAME, uri)
    expect((await ask(t, ELSEWHERE, { headers })).status).toBe(status)
  })

  it('is refused without a challenge while no account has a SIP password', async () => {
    await using t = await setUpCalls()
    expect((await ask(t, ELSEWHERE)).status).toBe(403)
  })

  it('of a suspended account is refused, whatever it shows', async () => {
    await using t = await setUp({ authType: 2 })
    await t.accounts.setStatus(t.account.sid, 'suspended')
    expect(await outcomeOf(t, LISTED, PASSWORD)).toBe(403)
  })

  it('of an address that two accounts list is of the one that holds its number', async () => {
    await using t = await setUp()
    const other = await t.accounts.create({ friendlyName: 'Other', profile: { authType: 1 } })
    await t.accessLists.add(other.sid, [`${LISTED}/32`])
    await t.numbers.assign(other.sid, '+12025550199', {})
    expect((await ask(t, LISTED, { from: '+12025550199' })).status).toBe(200)
    await t.telephony.leg(1)
    expect(t.telephony.legs).toHaveLength(2)
    const { items } = await t.calls.list(other.sid, {}, { limit: 10, offset: 0 })
    expect(items).toHaveLength(2)
    // Nobody's number: the address alone does not tell whose call it is.
    expect((await ask(t, LISTED, { from: '+12025550777' })).status).toBe(401)
  })

  it('reaches a carrier, and both legs are calls of the account', async () => {
    await using t = await setUp()
    await ask(t, LISTED, { to: '5005550001' })
    const inbound = await t.telephony.leg(0)
    const outbound = await t.telephony.leg(1)
    expect(outbound.request).toMatchObject({
      uri: `sip:${CALLEE}@127.0.0.1:5070;transport=udp`,
      from: { user: '+12025550143' },
    })
    outbound.progress()
    outbound.pickUp()
    await waitUntil('both legs are over', () => t.telephony.legCount() === 0)
    expect(inbound.asked).toContain('answer')
    await waitUntil('the calls are over', () => t.calls.liveCount() === 0)
    const { items } = await t.calls.list(t.account.sid, {}, { limit: 10, offset: 0 })
    const stored = await Promise.all(items.map(({ sid }) => t.calls.fetch(t.account.sid, sid)))
    const byDirection = new Map(stored.map((call) => [call.direction, call]))
    const parent = byDirection.get('inbound')
    expect(parent).toMatchObject({ status: 'completed', from: '+12025550143', to: CALLEE })
    expect(parent?.sipOrigin?.sourceIp).toBe(LISTED)
    expect(byDirection.get('outbound-dial')).toMatchObject({
      parentCallSid: parent?.sid,
      status: 'completed',
      to: CALLEE,
    })
    expect(byDirection.get('outbound-dial')?.sipOrigin?.sourceIp).toBe(LISTED)
  })

  it.each([
    ['the called party is busy', 'rejected', 486, 486],
    ['the number does not exist', 'rejected', 404, 404],
    ['the called party declines', 'rejected', 603, 603],
    ['nobody answers', 'no-answer', 487, 480],
    ['the carrier does not know the way', 'unreachable', 500, 503],
  ] as const)('ends with %s', async (_title, cause, sipStatus, status) => {
    await using t = await setUp()
    await ask(t, LISTED)
    const inbound = await t.telephony.leg(0)
    ;(await t.telephony.leg(1)).end(cause, sipStatus)
    // The second carrier of the fixture answers as the first one did.
    if (cause === 'unreachable') (await t.telephony.leg(2)).end(cause, sipStatus)
    await waitUntil('it is refused', () => inbound.state === 'ended')
    expect(inbound.asked).toContain(`hangup ${String(status)}`)
  })

  it('is hung up by its caller, and so is the called party', async () => {
    await using t = await setUp()
    await ask(t, LISTED)
    const outbound = await t.telephony.leg(1)
    ;(await t.telephony.leg(0)).end('canceled', 487)
    await waitUntil('the party is hung up', () => outbound.state === 'ended')
    expect(outbound.asked).toContain('hangup')
  })

  it.each([
    ['E.164', '+15005550001'],
    ['eleven digits', '15005550001'],
    ['ten digits', '5005550001'],
  ])('may dial a number as %s', async (_title, to) => {
    await using t = await setUp()
    await ask(t, LISTED, { to })
    expect((await t.telephony.leg(1)).request?.uri).toContain(`sip:${CALLEE}@`)
  })

  it.each(['911x', 'alice', '1', ''])('to "%s" gets 404', async (to) => {
    await using t = await setUp()
    expect((await ask(t, LISTED, { to })).status).toBe(404)
  })

  it.each([
    ['a number abroad', '011442079460018'],
    ['a number abroad with separators', '011-44-20-7946-0018'],
    ['a number abroad in E.164', '+442079460018'],
    ['an island with +1', '+18765550100'],
  ])('to %s needs the service intl', async (_title, to) => {
    await using t = await setUp()
    expect((await ask(t, LISTED, { to })).status).toBe(403)
    await t.accounts.update(t.account.sid, { profile: { services: { intl: true } } })
    expect((await ask(t, LISTED, { to })).status).toBe(200)
  })

  it('counts as one call of the account, whose next one beyond its cap gets 486', async () => {
    await using t = await setUp({ settings: { concurrentCalls: 1 } })
    expect((await ask(t, LISTED)).status).toBe(200)
    const outbound = await t.telephony.leg(1)
    expect((await ask(t, LISTED)).status).toBe(486)
    outbound.end('rejected', 486)
    await waitUntil('the call is over', () => t.calls.liveCount() === 0)
    expect((await ask(t, LISTED)).status).toBe(200)
  })
})

describe('the caller ID of such a call', () => {
  const asserted = (value: string) => [{ name: 'p-asserted-identity', value }]

  it.each<[string, Asked, string]>([
    ['the number of From', { from: '2025550143' }, '+12025550143'],
    ['the asserted number', { headers: asserted('<sip:+12025550144@x.example>') }, '+12025550144'],
    ['an asserted tel URI', { headers: asserted('<tel:+12025550145>') }, '+12025550145'],
    ["the account's default without a number", { from: 'pbx' }, '+12025550150'],
    ["the account's default in place of its username", { from: USERNAME }, '+12025550150'],
    ['hidden when the caller hides it', { from: 'anonymous' }, 'anonymous'],
    ['hidden by Privacy', { headers: [{ name: 'privacy', value: 'id' }] }, 'anonymous'],
  ])('is %s', async (_title, asked, user) => {
    await using t = await setUp({ callerId: '2025550150' })
    await ask(t, LISTED, asked)
    expect((await t.telephony.leg(1)).request?.from).toMatchObject({ user })
  })

  it('must be of the account where its policy says so', async () => {
    await using t = await setUp({ settings: { callerIds: 'owned-or-verified' } })
    expect((await ask(t, LISTED)).status).toBe(403)
    await t.numbers.assign(t.account.sid, '+12025550143', {})
    expect((await ask(t, LISTED)).status).toBe(200)
    expect((await t.telephony.leg(1)).request?.from).toMatchObject({ user: '+12025550143' })
  })
})

it('a call to a number whose route is T.38 is 488, and both sides learn why', async () => {
  await using t = await setUp()
  const { number } = await t.numbers.assign(t.account.sid, '+12025550188', {})
  await t.db.write((tx) => changeNumberSettings(tx, number.sid, { route: 5 }, 1))
  const seen: unknown[] = []
  t.events.onEvent(({ kind, accountSid, detail }) => seen.push([kind, accountSid, detail]))
  const { status, headers } = await ask(t, LISTED, { to: '+12025550188' })
  expect([status, headers['Warning']]).toEqual([
    488,
    expect.stringMatching(/^304 .*"fax over T\.38/),
  ])
  expect(seen).toEqual([
    ['sip', t.account.sid, expect.objectContaining({ message: '488 Not Acceptable Here' })],
  ])
})
