import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { sipp } from '../support/sip/sipp.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const PYTHON = '/usr/bin/python3'

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

describe('the next call to a number, placed with SIPp,', () => {
  const NUMBER = '+15551112222'
  const call = async (scenario = 'uac-waits-for-bye') => {
    const before = app.sink.requests.length
    const target = `127.0.0.1:${trunkline.sipPort}`
    await sipp({ scenario, target, service: NUMBER.slice(1) })
    const asked = app.sink.requests.slice(before).filter(({ target: to }) => to !== '/status')
    return asked.map(({ target: to, params }) => ({ to, params: new Map(params) }))
  }

  it('goes where it was bound a moment ago', async () => {
    for (const page of ['/first', '/second', '/application', '/changed'])
      app.page(page, '<Hangup/>')
    const numbers = client.incomingPhoneNumbers
    await call('uac-wants-404')

    const { sid } = await numbers.create({ phoneNumber: NUMBER, voiceUrl: `${app.url}/first` })
    expect((await call()).map(({ to }) => to)).toEqual(['/first'])

    await numbers(sid).update({ voiceUrl: `${app.url}/second` })
    expect((await call()).map(({ to }) => to)).toEqual(['/second'])

    const application = await client.applications.create({
      friendlyName: 'menu',
      voiceUrl: `${app.url}/application`,
      statusCallback: `${app.url}/status`,
    })
    await numbers(sid).update({ voiceApplicationSid: application.sid })
    const [answered] = await call()
    expect(answered?.to).toBe('/application')
    expect(answered?.params.get('ApplicationSid')).toBe(application.sid)
    const callSid = answered?.params.get('CallSid') ?? ''
    const [completed] = await app.completed(callSid)
    expect(completed).toMatchObject({ CallStatus: 'completed', ApplicationSid: application.sid })
    expect((await client.calls(callSid).fetch()).phoneNumberSid).toBe(sid)

    await client.applications(application.sid).update({ voiceUrl: `${app.url}/changed` })
    expect((await call()).map(({ to }) => to)).toEqual(['/changed'])

    await client.applications(application.sid).remove()
    expect((await call()).map(({ to }) => to)).toEqual(['/second'])

    expect(await numbers(sid).remove()).toBe(true)
    expect(await call('uac-wants-404')).toEqual([])
  })
})

describe("the convention's own Node client, unmodified", () => {
  it('claims, fetches, lists, pages, updates and gives back numbers', async () => {
    const wanted = Array.from({ length: 7 }, (_, i) => `+1555200000${i}`)
    const tollFree = '+18445551212'
    for (const phoneNumber of wanted) await client.incomingPhoneNumbers.create({ phoneNumber })
    const made = await client.incomingPhoneNumbers.tollFree.create({
      phoneNumber: tollFree,
      voiceUrl: `${app.url}/voice`,
    })
    expect(made.dateCreated).toBeInstanceOf(Date)
    expect(made).toMatchObject({
      phoneNumber: tollFree,
      voiceReceiveMode: 'voice',
      capabilities: { voice: true, sms: false, mms: false, fax: false },
      emergencyStatus: 'Inactive',
      trunkSid: null,
    })
    const numbers = client.incomingPhoneNumbers
    const listed = await numbers.list({ pageSize: 3 })
    expect(listed.map(({ phoneNumber }) => phoneNumber).sort()).toEqual(
      [...wanted, tollFree].sort(),
    )
    const first = await numbers.page({ pageSize: 5 })
    const second = await first.nextPage()
    expect([first.instances.length, second?.instances.length]).toEqual([5, 3])
    const back = await second?.previousPage()
    expect(back?.instances.map(({ sid }) => sid)).toEqual(first.instances.map(({ sid }) => sid))
    expect(await numbers.local.list()).toHaveLength(7)
    expect(await numbers.tollFree.list()).toHaveLength(1)
    expect(await numbers.mobile.list()).toEqual([])
    expect(await numbers.list({ phoneNumber: tollFree })).toHaveLength(1)
    const changed = await numbers(made.sid).update({ voiceMethod: 'GET', smsUrl: `${app.url}/sms` })
    expect(await numbers(made.sid).fetch()).toMatchObject({
      voiceUrl: `${app.url}/voice`,
      voiceMethod: 'GET',
      smsUrl: changed.smsUrl,
      type: 'toll-free',
    })
    for (const { sid } of listed) expect(await numbers(sid).remove()).toBe(true)
    expect(await numbers(made.sid).remove()).toBe(true)
    await expect(numbers(made.sid).fetch()).rejects.toMatchObject({ status: 404, code: 20404 })
    expect(await numbers.list()).toEqual([])
  })

  it('makes, fetches, lists, pages, updates and deletes applications, and calls with one', async () => {
    for (let index = 0; index < 7; index += 1)
      await client.applications.create({ friendlyName: `application ${index}` })
    const page = await client.applications.page({ pageSize: 4 })
    expect((await page.nextPage())?.instances).toHaveLength(3)
    const [found] = await client.applications.list({ friendlyName: 'application 3' })
    const sid = found?.sid ?? ''
    const changed = await client.applications(sid).update({
      voiceUrl: `${app.url}/outbound`,
      voiceCallerIdLookup: true,
      statusCallback: `${app.url}/status`,
      messageStatusCallback: `${app.url}/receipts`,
    })
    expect(await client.applications(sid).fetch()).toMatchObject({
      friendlyName: 'application 3',
      voiceUrl: `${app.url}/outbound`,
      voiceCallerIdLookup: true,
      smsStatusCallback: changed.messageStatusCallback,
      dateUpdated: expect.any(Date) as unknown,
    })
    app.page('/outbound', '<Hangup/>')
    const call = await client.calls.create({
      to: '+15005550002',
      from: '+15005550000',
      applicationSid: sid,
    })
    await app.completed(call.sid)
    expect(await app.asked('/outbound', call.sid)).toMatchObject({ ApplicationSid: sid })
    for (const each of await client.applications.list())
      await client.applications(each.sid).remove()
    expect(await client.applications.list()).toEqual([])
    await expect(
      client.calls.create({ to: '+15005550002', from: '+15005550000', applicationSid: sid }),
    ).rejects.toMatchObject({ status: 400, code: 21218 })
  })
})

it("the convention's own Python client does the same", async () => {
  const { sid, secret } = trunkline.account
  const script = join(import.meta.dirname, '../support/voice/client-numbers.py')
  const { stdout } = await promisify(execFile)(PYTHON, [script, trunkline.http, sid, secret])
  expect(JSON.parse(stdout)).toEqual({
    claimed: 7,
    listed: 7,
    'toll-free': 1,
    local: 6,
    mobile: 0,
    'updated url': 'https://app.test/other',
    'kept method': 'GET',
    'voice can': true,
    left: 0,
    'fetch of one that is gone': 404,
    applications: 5,
    'by name': 1,
    'changed name': 'renamed',
    'applications left': 0,
  })
})
