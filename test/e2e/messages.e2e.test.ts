import { createHmac } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askRest } from '../support/account/rest-client.js'
import { claimTollFree } from '../support/messages/claim-toll-free.js'
import { PNG } from '../support/messages/media-web.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Toll-free numbers need no campaign. */
const FROM = '+18005550111'
const DELIVERED = '+13035550100'
const UNDELIVERED = '+13035550101'
/** The simulated carrier's number that replies with a text. */
const REPLIES = '+13035550107'
const LIMIT_MS = 20_000
/** A number whose messages are routed to places of its own. */
const ROUTED = '+18005550113'
/** A number that sends media and gets it. */
const MEDIA_NUMBER = '+18005550112'

let trunkline: RunningTrunkline
let app: VoiceApp
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  await claimTollFree(trunkline, client, FROM)
  await claimTollFree(trunkline, client, MEDIA_NUMBER)
  await claimTollFree(trunkline, client, ROUTED)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** The mails that the server has kept in its folder. */
function mailsIn({ folder }: RunningTrunkline): readonly string[] {
  const kept = join(folder, 'data', 'mail')
  if (!existsSync(kept)) return []
  return readdirSync(kept)
    .filter((name) => name.endsWith('.eml'))
    .map((name) => readFileSync(join(kept, name), 'utf8'))
}

const callbacks = (sid: string) =>
  app.sink.requests
    .map(({ params }) => new Map(params))
    .filter((params) => params.get('MessageSid') === sid)

async function delivered(to: string, last: string, body = 'Hello') {
  const statusCallback = `${app.url}/status`
  const sent = await client.messages.create({ to, from: FROM, body, statusCallback })
  const isOver = () => callbacks(sent.sid).at(-1)?.get('MessageStatus') === last
  await waitUntil(`the callback ${last}`, isOver, LIMIT_MS, () => callbacks(sent.sid))
  return sent
}

describe('the account API', () => {
  /** Sends a request of the account to its REST style; resolves with the data of the answer. */
  const rest = (method: string, path: string, body?: object) =>
    askRest(trunkline, method, path, body)

  it('routes what comes in to a URL, with a signature, and to an address of mail', async () => {
    const sms = `/numbers/${ROUTED.slice(2)}/sms`
    const url = `${app.url}/routed`
    expect((await rest('PUT', sms, { type: 'webhook', resource: url })).status).toBe(200)
    await client.messages.create({ to: ROUTED, from: ROUTED, body: 'by web' })
    const routed = () => app.sink.requests.find(({ target }) => target === '/routed')
    await waitUntil('the event', () => routed() !== undefined, LIMIT_MS)
    const { body = '', headers } = routed() ?? {}
    expect(JSON.parse(String(body))).toMatchObject({ from: ROUTED, to: ROUTED, text: 'by web' })
    const signature = String(headers?.['x-trunkline-signature'])
    const time = /^t=(\d+),/.exec(signature)?.[1] ?? ''
    const right = createHmac('sha256', trunkline.account.secret).update(`${time}.${String(body)}`)
    expect(signature).toBe(`t=${time},v1=${right.digest('hex')}`)
    const resource = 'owner@reader.example'
    expect((await rest('PUT', sms, { type: 'email', resource })).status).toBe(200)
    await client.messages.create({ to: ROUTED, from: ROUTED, body: 'by mail' })
    const mails = () => mailsIn(trunkline).filter((mail) => mail.includes('by mail'))
    await waitUntil('the mail', () => mails().length > 0, LIMIT_MS)
    expect(mails()).toHaveLength(1)
    expect(mails()[0]).toMatch(/^To: owner@reader.example\r$/m)
  })

  it('sends a message, whose report says what came of it', async () => {
    const number = FROM.slice(2)
    const wanted = { fromNumber: number, toNumber: UNDELIVERED.slice(2), text: 'Hello' }
    const sent = await rest('POST', '/messages', wanted)
    expect(sent).toMatchObject({ status: 201, data: { type: 'sms', parts: 1 } })
    const report = async () => {
      const { data } = await rest('GET', `/messages?number=${number}&type=dlr`)
      const reports = data['messages'] as readonly { value: Record<string, unknown> }[]
      return reports.find(({ value }) => value['transactionGUID'] === sent.data['id'])?.value
    }
    const isOver = async () => (await report())?.['status'] === 'UNDELIV'
    await waitUntil('the report of its delivery', isOver, LIMIT_MS)
    expect(await report()).toMatchObject({ errorCode: '30003', sourceNumber: number })
  })
})

describe("the convention's client", () => {
  it('sends, lists, fetches, redacts and deletes a message', async () => {
    const sent = await delivered(DELIVERED, 'delivered', 'Hello, €')
    expect(sent).toMatchObject({ status: 'queued', numSegments: '1', numMedia: '0' })
    const statuses = callbacks(sent.sid).map((params) => params.get('MessageStatus'))
    expect(statuses).toEqual(['sent', 'delivered'])
    expect(Object.fromEntries(callbacks(sent.sid)[1] ?? [])).toMatchObject({
      AccountSid: trunkline.account.sid,
      SmsSid: sent.sid,
      SmsStatus: 'delivered',
      From: FROM,
      To: DELIVERED,
    })
    const listed = await client.messages.list({ to: DELIVERED, dateSentAfter: new Date(0) })
    expect(listed.map(({ sid }) => sid)).toEqual([sent.sid])
    const message = client.messages(sent.sid)
    expect(await message.fetch()).toMatchObject({ status: 'delivered', body: 'Hello, €' })
    expect(await message.media.list()).toEqual([])
    expect(await message.update({ body: '' })).toMatchObject({ body: '', status: 'delivered' })
    expect(await message.remove()).toBe(true)
    await expect(message.fetch()).rejects.toMatchObject({ status: 404, code: 20404 })
  })

  it('sends a media to a number of its own, where the application is told of it', async () => {
    app.page('/cat.png', '', { headers: { 'content-type': 'image/png' }, body: PNG })
    app.page('/mms', '')
    const [mine] = await client.incomingPhoneNumbers.list({ phoneNumber: MEDIA_NUMBER })
    await client.incomingPhoneNumbers(mine?.sid ?? '').update({ smsUrl: `${app.url}/mms` })
    const mediaUrl = [`${app.url}/cat.png`]
    const sent = await client.messages.create({ to: MEDIA_NUMBER, from: MEDIA_NUMBER, mediaUrl })
    expect(sent).toMatchObject({ numMedia: '1', body: '' })
    const told = await app.asked('/mms')
    expect(told).toMatchObject({ NumMedia: '1', MediaContentType0: 'image/png', Body: '' })
    const given = await fetch(told['MediaUrl0'] ?? '')
    expect(given.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await given.arrayBuffer())).toEqual(PNG)
    const [media] = await client.messages(sent.sid).media.list()
    expect(media).toMatchObject({ contentType: 'image/png', parentSid: sent.sid })
    const resource = client.messages(sent.sid).media(media?.sid ?? '')
    expect((await resource.fetch()).sid).toBe(media?.sid)
    const { sid, secret } = trunkline.account
    const authorization = `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`
    const path = (media?.uri ?? '').replace('.json', '')
    const bytes = await fetch(`${trunkline.http}${path}`, { headers: { authorization } })
    expect(Buffer.from(await bytes.arrayBuffer())).toEqual(PNG)
    expect(await resource.remove()).toBe(true)
    await expect(resource.fetch()).rejects.toMatchObject({ status: 404 })
  })

  it('learns why a message did not arrive', async () => {
    const sent = await delivered(UNDELIVERED, 'undelivered')
    expect(callbacks(sent.sid).at(-1)?.get('ErrorCode')).toBe('30003')
    const message = await client.messages(sent.sid).fetch()
    expect(message).toMatchObject({ status: 'undelivered', errorCode: 30003 })
  })

  it('schedules a message and cancels it', async () => {
    const sendAt = new Date(Date.now() + 3_600_000)
    const wanted = { to: DELIVERED, from: FROM, body: 'Later', scheduleType: 'fixed' } as const
    const { sid, status } = await client.messages.create({ ...wanted, sendAt })
    expect(status).toBe('scheduled')
    const canceled = await client.messages(sid).update({ status: 'canceled' })
    expect(canceled.status).toBe('canceled')
  })

  it('is told that a number is not its own', async () => {
    const foreign = { to: DELIVERED, from: '+12025550199', body: 'Hello' }
    await expect(client.messages.create(foreign)).rejects.toMatchObject({
      status: 400,
      code: 21606,
    })
  })

  it('is told of a reply at its SmsUrl, and answers it with markup', async () => {
    const [number] = await client.incomingPhoneNumbers.list({ phoneNumber: FROM })
    const smsUrl = `${app.url}/sms`
    await client.incomingPhoneNumbers(number?.sid ?? '').update({ smsUrl })
    app.page('/sms', `<Message to="${DELIVERED}">You are welcome.</Message>`)
    await client.messages.create({ to: REPLIES, from: FROM, body: 'Hello' })
    const asked = await app.asked('/sms')
    expect(asked).toMatchObject({ From: REPLIES, To: FROM, SmsStatus: 'received' })
    const replies = async () =>
      (await client.messages.list({ to: DELIVERED, from: FROM }))
        .filter(({ body, status }) => body === 'You are welcome.' && status === 'delivered')
        .map(({ direction }) => direction)
    await waitUntil('the reply', async () => (await replies()).length > 0, LIMIT_MS)
    expect(await replies()).toEqual(['outbound-reply'])
  })
})
