import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

let trunkline: RunningTrunkline
let app: VoiceApp
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Of a machine that does much else. */
const POLL = { timeout: 15_000 }

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

  it('pages through 120 calls: as a list, one by one, and page by page', async () => {
    // No carrier takes it: each call is stored, tried and over.
    const to = '+442079460018'
    const made = await Promise.all(
      Array.from({ length: 120 }, () =>
        client.calls.create({ to, from: '+15005550000', twiml: '<Response/>' }),
      ),
    )
    const wanted = made.map(({ sid }) => sid).sort()
    const listed = await client.calls.list({ to, pageSize: 50 })
    expect(listed.map(({ sid }) => sid).sort()).toEqual(wanted)
    const times = listed.map(({ dateCreated }) => dateCreated.getTime())
    expect(times).toEqual([...times].sort((x, y) => y - x))

    const each: string[] = []
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error) => {
        if (error === undefined) resolve()
        else reject(error)
      }
      client.calls.each({ to, pageSize: 30, done }, (call) => each.push(call.sid))
    })
    expect(each).toEqual(listed.map(({ sid }) => sid))

    const first = await client.calls.page({ to, pageSize: 50 })
    const second = await first.nextPage()
    const third = await second?.nextPage()
    expect([first, second, third].map((page) => page?.instances.length)).toEqual([50, 50, 20])
    expect(await third?.nextPage()).toBeUndefined()
    const back = await third?.previousPage()
    expect(back?.instances.map(({ sid }) => sid)).toEqual(second?.instances.map(({ sid }) => sid))
    expect((await client.calls.list({ to, limit: 7 })).length).toBe(7)
    // Later than the start of any of them, though some may not have been tried yet.
    const later = new Date(Date.now() + 3_600_000)
    expect(await client.calls.list({ to, startTimeAfter: later })).toEqual([])
    expect(await client.calls.list({ to, status: 'in-progress' })).toEqual([])
  })

  it('deletes a call, and only one that has ended', async () => {
    const call = await client.calls.create({
      to: '+15005550007',
      from: '+15005550000',
      twiml: '<Response/>',
    })
    await expect(client.calls(call.sid).remove()).rejects.toMatchObject({
      status: 409,
      code: 20009,
    })
    await client.calls(call.sid).update({ status: 'completed' })
    const fetched = () => client.calls(call.sid).fetch()
    await expect.poll(async () => (await fetched()).status, POLL).toBe('canceled')
    await expect(client.calls(call.sid).update({ url: `${app.url}/voice` })).rejects.toMatchObject({
      status: 400,
      code: 21220,
    })
    expect(await client.calls(call.sid).remove()).toBe(true)
    await expect(fetched()).rejects.toMatchObject({ status: 404, code: 20404 })
  })

  it('deletes a call that it has just told to end', async () => {
    const call = await client.calls.create({
      to: '+15005550002',
      from: '+15005550000',
      twiml: '<Response><Pause length="60"/></Response>',
    })
    const fetched = () => client.calls(call.sid).fetch()
    await expect.poll(async () => (await fetched()).status, POLL).toBe('in-progress')
    expect((await client.calls(call.sid).update({ status: 'completed' })).status).toBe('completed')
    expect(await client.calls(call.sid).remove()).toBe(true)
    await expect(fetched()).rejects.toMatchObject({ status: 404, code: 20404 })
  })

  it('ends a call at its time limit', async () => {
    const call = await client.calls.create({
      ...wanted(),
      timeLimit: 1,
      twiml: '<Response><Pause length="60"/></Response>',
    })
    const callbacks = await app.completed(call.sid)
    expect(callbacks.at(-1)?.['CallStatus']).toBe('completed')
  })

  it('fetches and renames its account', async () => {
    const { sid } = trunkline.account
    expect(await client.api.accounts(sid).fetch()).toMatchObject({ sid, status: 'active' })
    const renamed = await client.api.accounts(sid).update({ friendlyName: 'Renamed' })
    expect(renamed.friendlyName).toBe('Renamed')
  })

  it('throws an error answer as its own exception', async () => {
    const refused = client.calls.create({ ...wanted(), to: 'nobody', twiml: '<Response/>' })
    await expect(refused).rejects.toBeInstanceOf(twilio.RestException)
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: 21211,
      moreInfo: `${trunkline.http}/docs/errors#21211`,
    })
    const stranger = twilio(trunkline.account.sid, '0'.repeat(32))
    stranger.api.baseUrl = trunkline.http
    await expect(stranger.calls.list()).rejects.toMatchObject({ status: 401, code: 20003 })
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
