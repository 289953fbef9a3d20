import { expect, it } from 'vitest'
import { answerChallenge, parseChallenge } from '../../../../../src/platform/sip-digest/digest.js'
import type { IncomingInvite, ResponseHeaders } from '../../../../../src/voice/telephony/port.js'
import { waitUntil } from '../../../../support/time/wait-until.js'
import { setUpCalls } from '../../../../support/voice/calls-fixture.js'

const DOMAIN = 'acme.example'
const TARGET = 'sip:+15005550001@acme.example'
const PASSWORD = 'IWasAtSignal2018'

async function setUp(allowsAnyFrom: boolean) {
  const t = await setUpCalls()
  const { sid } = await t.sip.domains.create(t.account.sid, DOMAIN, {
    friendlyName: DOMAIN,
    voice: {
      url: 'http://app.example/voice',
      method: 'POST',
      fallbackUrl: undefined,
      fallbackMethod: 'POST',
      statusCallback: undefined,
      statusCallbackMethod: 'POST',
    },
    secure: false,
    sipRegistration: true,
    emergencyCallingEnabled: false,
    emergencyCallerSid: undefined,
    allowsAnyFrom,
    codecs: undefined,
    byocTrunkSid: undefined,
  })
  const list = await t.sip.credentialLists.create(t.account.sid, 'phones')
  await t.sip.credentials.create(t.account.sid, list.sid, { username: 'alice', password: PASSWORD })
  const place = { accountSid: t.account.sid, domainSid: sid, purpose: 'calls' } as const
  await t.sip.mappings.create({ ...place, kind: 'credentials' }, list.sid)
  return t
}

type Bench = Awaited<ReturnType<typeof setUp>>

const partyOf = (uri: string, displayName?: string) => {
  const [, user = '', host = ''] = /^sip:([^@]*)@(.*)$/.exec(uri) ?? []
  return { user, host, uri, displayName }
}

/** Sends an INVITE; resolves with the challenge, or with undefined once the call was taken. */
async function ask(
  { telephony }: Bench,
  from: IncomingInvite['from'],
  headers: IncomingInvite['headers'] = [],
): Promise<string | undefined> {
  const refused: ResponseHeaders[] = []
  const seen = telephony.invite({
    requestUri: partyOf(TARGET),
    to: partyOf(TARGET),
    from,
    source: { address: '198.51.100.9', port: 5060, transport: 'udp' },
    headers,
    reject: (_status, _reason, more = {}) => refused.push(more),
  })
  await waitUntil('an answer', () => refused.length > 0 || seen.leg !== undefined)
  const [challenges] = [refused[0]?.['WWW-Authenticate']].flat()
  return challenges
}

/** The call of alice, whose From says this. */
async function callOfAlice(t: Bench, from: string, displayName?: string) {
  const challenge = parseChallenge((await ask(t, partyOf(from, displayName))) ?? '')
  if (challenge === undefined) throw new Error('no challenge')
  const value = answerChallenge(challenge, {
    username: 'alice',
    password: PASSWORD,
    method: 'INVITE',
    uri: TARGET,
    count: 1,
    clientNonce: 'c1',
  })
  await ask(t, partyOf(from, displayName), [
    { name: 'authorization', value },
    { name: 'x-claimed-from', value: 'sip:president@white.example' },
    { name: 'X-Desk', value: '4' },
  ])
  const { items } = await t.calls.list(t.account.sid, {}, { limit: 10, offset: 0 })
  const [call] = items
  if (call === undefined) throw new Error('no call')
  return await t.calls.fetch(t.account.sid, call.sid)
}

it('shows a caller as the user whose password it knows, and what From claims beside it', async () => {
  await using t = await setUp(false)
  const call = await callOfAlice(t, 'sip:bob@acme.example', 'Bob')
  expect(call).toMatchObject({ from: 'sip:alice@acme.example', callerName: undefined })
  expect(call.sipHeaders).toEqual([
    ['X-Claimed-From', 'sip:bob@acme.example'],
    ['X-Desk', '4'],
  ])
  const told = { claimedFrom: 'sip:bob@acme.example', from: 'sip:alice@acme.example' }
  await expect
    .poll(async () => (await t.events.list(call.sid, { type: 'offset', offset: 0 }, 50)).events)
    .toContainEqual(expect.objectContaining({ kind: 'sip', detail: told }))
})

it('leaves a From that is of the user as it is', async () => {
  await using t = await setUp(false)
  const call = await callOfAlice(t, 'sip:alice@ACME.example', 'Alice')
  expect(call).toMatchObject({ from: 'sip:alice@acme.example', callerName: 'Alice' })
  expect(call.sipHeaders).toEqual([['X-Desk', '4']])
})

it('believes any From at a domain that allows it', async () => {
  await using t = await setUp(true)
  const call = await callOfAlice(t, 'sip:+12025550143@acme.example')
  expect(call.from).toBe('sip:+12025550143@acme.example')
  expect(call.sipHeaders).toEqual([['X-Desk', '4']])
})
