import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimTollFree } from '../support/messages/claim-toll-free.js'
import { deliverBody, TestSmsc } from '../support/messages/test-smsc.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { RegisterClient } from '../support/sip/register-client.js'
import { createSoftphoneDomain } from '../support/sip/softphone-domain.js'
import { waitUntil } from '../support/time/wait-until.js'

/** Toll-free numbers need no campaign. */
const FROM = '+18005550111'
const TO = '+13035550142'
const LIMIT_MS = 20_000

let smsc: TestSmsc
let trunkline: RunningTrunkline
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  smsc = await TestSmsc.open()
  trunkline = await startTrunkline({
    SMPP_URLS: `smpp://esme:secret@127.0.0.1:${String(smsc.port)}?short_codes=network`,
    BLOCKED_SHORT_CODES: '666',
  })
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  await claimTollFree(trunkline, client, FROM)
})
afterAll(async () => {
  await trunkline[Symbol.asyncDispose]()
  await smsc[Symbol.asyncDispose]()
})

const isStatus = (sid: string, status: string) =>
  waitUntil(
    `${sid} is ${status}`,
    async () => (await client.messages(sid).fetch()).status === status,
    LIMIT_MS,
  )

it('sends a long message through an SMSC, which reports its delivery', async () => {
  const body = 'é'.repeat(150)
  const { sid } = await client.messages.create({ to: TO, from: FROM, body: `漢${body}` })
  await isStatus(sid, 'sent')
  expect(smsc.taken.map(({ to, coding }) => [to, coding])).toEqual([
    ['13035550142', 8],
    ['13035550142', 8],
    ['13035550142', 8],
  ])
  for (const { id } of smsc.taken) {
    const data = `id:${id} sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:DELIVRD err:000 text:`
    expect(await smsc.deliver(deliverBody({ esmClass: 4, data }))).toBe(0)
  }
  await isStatus(sid, 'delivered')
})

it('takes a message that an SMSC brings', async () => {
  await smsc.bound()
  const delivered = deliverBody({ to: FROM.slice(1), data: 'Hello there' })
  expect(await smsc.deliver(delivered)).toBe(0)
  const listed = () => client.messages.list({ to: FROM })
  await waitUntil('it is listed', async () => (await listed()).length > 0, LIMIT_MS)
  expect(await listed()).toMatchObject([
    { direction: 'inbound', status: 'received', from: TO, to: FROM, body: 'Hello there' },
  ])
})

it.each([
  ['a short code', '22395', 3],
  ['a name', 'ACME Bank', 5],
])('takes a message of %s', async (_title, from, fromType) => {
  await smsc.bound()
  const data = `Your code is 123456, from ${from}`
  expect(await smsc.deliver(deliverBody({ from, fromType, to: FROM.slice(1), data }))).toBe(0)
  const listed = () => client.messages.list({ from })
  await waitUntil('it is listed', async () => (await listed()).length > 0, LIMIT_MS)
  expect(await listed()).toMatchObject([{ direction: 'inbound', from, to: FROM, body: data }])
})

describe('a message to a short code', () => {
  const takenAt = (code: string) =>
    smsc.taken
      .filter(({ to }) => to === code)
      .map(({ to, toType, data }) => [to, toType, data.toString()])

  it('goes there by REST, and its receipt comes back', async () => {
    const { sid, to } = await client.messages.create({ to: '72345', from: FROM, body: 'JOIN' })
    expect(to).toBe('72345')
    await isStatus(sid, 'sent')
    expect(takenAt('72345')).toEqual([['72345', 3, 'JOIN']])
    const { id } = smsc.taken.at(-1) ?? { id: '' }
    const data = `id:${id} sub:001 dlvrd:001 submit date:2611221200 done date:2611221201 stat:DELIVRD err:000 text:`
    const receipt = deliverBody({ esmClass: 4, from: '72345', fromType: 3, data })
    expect(await smsc.deliver(receipt)).toBe(0)
    await isStatus(sid, 'delivered')
  })

  it('goes there in the legacy style, and from a softphone', async () => {
    const { secret } = trunkline.account
    const legacy = await fetch(`${trunkline.http}/v2.1/messaging/sms/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ apikey: secret, source: FROM.slice(2), destination: '22395', messageText: 'legacy' },
      }),
    })
    expect(legacy.status).toBe(200)
    const { name } = await createSoftphoneDomain(trunkline, ['alice'], {
      DomainName: 'acme.example',
    })
    await using phone = await RegisterClient.open(trunkline.sipPort)
    const wanted = { domain: name, user: 'alice', contact: '', writesTo: '22395', body: 'phone' }
    expect(
      await phone.register({ ...wanted, headers: ['Content-Type: text/plain'] }),
    ).toMatchObject({ status: 202 })
    await waitUntil('both have come', () => takenAt('22395').length === 2, LIMIT_MS)
    expect(takenAt('22395')).toEqual([
      ['22395', 3, 'legacy'],
      ['22395', 3, 'phone'],
    ])
  })

  it.each([
    ['that the operator has blocked', '66677', 21408],
    ['of emergency services', '911', 21211],
  ])('%s is refused', async (_title, to, code) => {
    const sent = client.messages.create({ to, from: FROM, body: 'x' })
    await expect(sent).rejects.toMatchObject({ status: 400, code })
  })
})
