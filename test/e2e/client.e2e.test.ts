import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'

let trunkline: RunningTrunkline
let app: VoiceApp
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const wanted = () => ({
  to: '+15005550002',
  from: '+15005550000',
  statusCallback: `${app.url}/status`,
  statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
})

describe("the convention's own Node client, unmodified", () => {
  it('creates a call, fetches it, changes its markup and ends it', async () => {
    const call = await client.calls.create({
      ...wanted(),
      twiml: '<Response><Pause length="60"/></Response>',
    })
    expect(call).toMatchObject({ status: 'queued', direction: 'outbound-api', to: '+15005550002' })
    expect(call.dateCreated).toBeInstanceOf(Date)
    const fetched = () => client.calls(call.sid).fetch()
    await expect.poll(async () => (await fetched()).status).toBe('in-progress')
    const updated = await client.calls(call.sid).update({
      twiml: '<Response><Say>Changed.</Say><Hangup/></Response>',
    })
    expect(updated.sid).toBe(call.sid)
    const callbacks = await app.completed(call.sid)
    expect(callbacks.map((params) => params['CallStatus'])).toEqual([
      'initiated',
      'ringing',
      'in-progress',
      'completed',
    ])
    expect(await fetched()).toMatchObject({ status: 'completed' })
  })

  it('pages through the list', async () => {
    const made = await Promise.all(
      Array.from({ length: 5 }, () =>
        client.calls.create({ ...wanted(), twiml: '<Response><Hangup/></Response>' }),
      ),
    )
    await Promise.all(made.map(({ sid }) => app.completed(sid)))
    const listed = await client.calls.list({ pageSize: 2, limit: 5 })
    expect(listed.map(({ sid }) => sid).sort()).toEqual(made.map(({ sid }) => sid).sort())
  })

  it('throws an error answer as its own exception', async () => {
    const refused = client.calls.create({ ...wanted(), to: 'nobody', twiml: '<Response/>' })
    await expect(refused).rejects.toBeInstanceOf(twilio.RestException)
    await expect(refused).rejects.toMatchObject({ status: 400, code: 21211 })
  })

  it('accepts our signatures, and only ours', async () => {
    const { sid } = await client.calls.create({ ...wanted(), url: `${app.url}/voice?a=1&b=ü` })
    await app.completed(sid)
    const asked = app.sink.requests.find(({ target }) => target.startsWith('/voice'))
    const signature = String(asked?.headers['x-compat-signature'])
    const url = `${app.url}${asked?.target ?? ''}`
    const params = Object.fromEntries(asked?.params ?? [])
    const { secret } = trunkline.account
    expect(twilio.validateRequest(secret, signature, url, params)).toBe(true)
    expect(twilio.validateRequest(secret, signature, url, { ...params, To: '+1' })).toBe(false)
  })
})
