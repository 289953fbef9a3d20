import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimTollFree } from '../support/messages/claim-toll-free.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startLinphone } from '../support/sip/linphone.js'
import { RegisterClient, type RegisterOptions } from '../support/sip/register-client.js'
import {
  createSoftphoneDomain,
  PASSWORD,
  type SoftphoneDomain,
} from '../support/sip/softphone-domain.js'
import { waitUntil } from '../support/time/wait-until.js'

/** Toll-free numbers need no campaign. */
const FROM = '+18005550114'
const DELIVERED = '+13035550100'
/** The simulated carrier's number that replies with a text. */
const REPLIES = '+13035550107'
const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let client: ReturnType<typeof twilio>
let domain: SoftphoneDomain

beforeAll(async () => {
  trunkline = await joinTrunkline()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  await claimTollFree(trunkline, client, FROM)
  domain = await createSoftphoneDomain(trunkline, ['alice'], { DomainName: 'acme.example' })
})
afterAll(() => trunkline[Symbol.asyncDispose]())

async function route(type: string, resource: string): Promise<number> {
  const answer = await fetch(`${trunkline.http}/v2.2/numbers/${FROM.slice(2)}/sms`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${trunkline.account.secret}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ type, resource }),
  })
  return answer.status
}

const sentTo = async (to: string, body: string) =>
  (await client.messages.list({ to, from: FROM })).filter((message) => message.body === body)

describe('a softphone', () => {
  it('writes to a number, whose reply it shows', async () => {
    expect(await route('sip', 'alice')).toBe(200)
    await using phone = await startLinphone({
      toneHz: 500,
      account: {
        user: 'alice',
        domain: domain.name,
        password: PASSWORD,
        transport: 'udp',
        port: trunkline.sipPort,
      },
    })
    const isRegistered = async () => (await domain.registrations()).length > 0
    await waitUntil('it is registered', isRegistered, LIMIT_MS, () => phone.printed())
    phone.command(`chat sip:${REPLIES}@${domain.name} Is anybody there?`)
    const isSent = async () => (await sentTo(REPLIES, 'Is anybody there?')).length > 0
    await waitUntil('its message is on the way', isSent, LIMIT_MS, () => phone.printed())
    const replies = () => client.messages.list({ to: FROM, from: REPLIES })
    await waitUntil('the reply has come', async () => (await replies()).length > 0, LIMIT_MS)
    const [reply] = await replies()
    const isShown = () => phone.printed().includes(reply?.body ?? 'nothing')
    await waitUntil('it shows the reply', isShown, LIMIT_MS, () => phone.printed())
    expect(await sentTo(REPLIES, 'Is anybody there?')).toHaveLength(1)
  })
})

describe('a MESSAGE', () => {
  const PLAIN = 'Content-Type: text/plain'
  const write = async (wanted: Partial<RegisterOptions>, body: string, type = PLAIN) => {
    await using phone = await RegisterClient.open(trunkline.sipPort)
    const common = { domain: domain.name, user: 'alice', contact: '', writesTo: DELIVERED }
    return await phone.register({ ...common, headers: [type], body, ...wanted })
  }

  it('is asked for credentials, and sent once for the account: 202', async () => {
    expect((await write({}, 'Hello, \u20ac')).status).toBe(202)
    const isDelivered = async () =>
      (await sentTo(DELIVERED, 'Hello, \u20ac')).some(({ status }) => status === 'delivered')
    await waitUntil('it is delivered', isDelivered, LIMIT_MS)
    expect(await sentTo(DELIVERED, 'Hello, \u20ac')).toHaveLength(1)
  })

  it('with used credentials is asked for new ones, and sends nothing', async () => {
    await using phone = await RegisterClient.open(trunkline.sipPort)
    const wanted = {
      domain: domain.name,
      user: 'alice',
      contact: '',
      writesTo: DELIVERED,
      headers: [PLAIN],
      body: 'twice',
    }
    const [challenge = ''] = (await phone.send(wanted)).headers('WWW-Authenticate')
    const authorization = phone.authorize(wanted, challenge, 1)
    expect((await phone.send(wanted, authorization)).status).toBe(202)
    expect((await phone.send(wanted, authorization)).status).toBe(401)
    expect(await sentTo(DELIVERED, 'twice')).toHaveLength(1)
  })

  it.each<[string, number, Partial<RegisterOptions>, string, string?]>([
    ['a wrong password', 403, { password: 'Wrong1Password2' }, 'a'],
    ['a user who is no number', 404, { writesTo: 'bob' }, 'b'],
    ['a number that is too short', 404, { writesTo: '911' }, 'c'],
    ['no text', 400, {}, ' '],
    ['a text that is too long', 413, {}, 'd'.repeat(1_601)],
    ['a picture', 415, {}, 'f', 'Content-Type: image/png'],
    ['another character set', 415, {}, 'g', 'Content-Type: text/plain;charset=iso-8859-1'],
    ['somebody typing', 200, {}, '<isComposing/>', 'Content-Type: application/im-iscomposing+xml'],
  ])('with %s is answered %i, and sends nothing', async (_title, status, wanted, body, type) => {
    const before = (await client.messages.list({ from: FROM })).length
    const answer = await write(wanted, body, type)
    expect(answer.status).toBe(status)
    if (status === 415) expect(answer.headers('Accept').join()).toContain('text/plain')
    expect(await client.messages.list({ from: FROM })).toHaveLength(before)
  })
})
