import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const PYTHON = '/usr/bin/python3'
const FOREVER = '<Response><Pause length="600"/></Response>'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** An account of the private listener's making, and the convention's own client for it. */
async function newAccount(settings: object = {}) {
  const { body } = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'made', settings })
  const sid = String(body['accountSid'])
  const secret = String(body['authToken'])
  return { sid, secret, client: clientOf(sid, secret) }
}

function clientOf(username: string, password: string, accountSid?: string) {
  const client = twilio(username, password, accountSid === undefined ? {} : { accountSid })
  client.api.baseUrl = trunkline.http
  return client
}

type Client = ReturnType<typeof clientOf>

const numbered = (client: Client, to = '+15005550002') =>
  client.calls.create({
    to,
    from: '+15551112222',
    twiml: FOREVER,
    statusCallback: `${app.url}/status`,
  })

const reaches = (client: Client, sid: string, status: string) =>
  waitUntil(
    `the call is ${status}`,
    async () => (await client.calls(sid).fetch()).status === status,
    LIMIT_MS,
  )

describe("the convention's own Node client, unmodified", () => {
  it('makes keys, uses one, and finds it dead once it is deleted', async () => {
    const { sid, client } = await newAccount()
    const made = await client.newKeys.create({ friendlyName: 'robot' })
    const byKey = clientOf(made.sid, made.secret, sid)
    expect(await byKey.calls.list()).toEqual([])
    expect((await byKey.api.accounts(sid).fetch()).sid).toBe(sid)
    expect((await client.keys(made.sid).fetch()).friendlyName).toBe('robot')
    expect((await client.keys(made.sid).update({ friendlyName: 'r2' })).friendlyName).toBe('r2')
    for (let index = 0; index < 4; index += 1) await client.newKeys.create()
    expect(await client.keys.list({ pageSize: 2 })).toHaveLength(5)
    await expect(byKey.newKeys.create()).rejects.toMatchObject({ status: 403, code: 20006 })
    expect(await client.keys(made.sid).remove()).toBe(true)
    await expect(byKey.calls.list()).rejects.toMatchObject({ status: 401, code: 20003 })
    const signing = await client.newSigningKeys.create({ friendlyName: 'old name' })
    expect((await client.signingKeys(signing.sid).fetch()).friendlyName).toBe('old name')
    expect(await client.signingKeys(signing.sid).remove()).toBe(true)
  })

  it('reads the balance and the notifications, of the account and of a call', async () => {
    const { client } = await newAccount()
    expect(await client.balance.fetch()).toMatchObject({ balance: '0.00', currency: 'USD' })
    expect(await client.notifications.list({ log: 1, messageDate: new Date() })).toEqual([])
    const nothing = `NO${'0'.repeat(32)}`
    await expect(client.notifications(nothing).fetch()).rejects.toMatchObject({ code: 20404 })
    const call = await numbered(client, '+15005550005')
    expect(await client.calls(call.sid).notifications.list()).toEqual([])
    await expect(client.calls(call.sid).notifications(nothing).fetch()).rejects.toMatchObject({
      status: 404,
    })
  })
})

it("the convention's own Python client does the same", async () => {
  const phone = await SipPeer.open()
  try {
    const carrier = { host: '127.0.0.1', port: phone.port, prefixes: ['+1555'], priority: 0 }
    await trunkline.adminApi('PUT', '/carriers/phones', carrier)
    const { sid, secret, client } = await newAccount()
    const invited = phone.nextCall(LIMIT_MS)
    const { validationCode, callSid } = await client.validationRequests.create({
      phoneNumber: '+15551234567',
    })
    const call = await invited
    await call.answer()
    await waitUntil('a prompt', () => !phone.rtp.isQuiet(), LIMIT_MS)
    for (const key of validationCode) await phone.rtp.sendDigit(key)
    await call.request('BYE', LIMIT_MS)
    await reaches(client, callSid, 'completed')
    const script = join(import.meta.dirname, '../support/voice/client-account.py')
    const args = [script, trunkline.http, sid, secret, '+15551234568']
    const { stdout } = await promisify(execFile)(PYTHON, args)
    expect(JSON.parse(stdout)).toEqual({
      account: ['active', 'Full', true],
      renamed: 'From Python',
      balance: ['0.00', 'USD'],
      notifications: 0,
      notification: [404, 20404],
      'calls with a key': 1,
      key: 'renamed',
      keys: true,
      'signing keys': true,
      'deleted key': [401, 20003],
      code: 6,
      'caller id': ['python', '+15551234567'],
      'caller ids left': 0,
    })
  } finally {
    phone.close()
  }
})

describe('an account that the operator disables', () => {
  it('is refused everywhere, its calls end and are reported, and another goes on', async () => {
    const one = await newAccount({ callsPerSecond: 1 })
    const other = await newAccount()
    const key = await one.client.newKeys.create()
    const talking = await numbered(one.client)
    const queued = await numbered(one.client)
    const theirs = await numbered(other.client)
    await reaches(one.client, talking.sid, 'in-progress')
    await reaches(other.client, theirs.sid, 'in-progress')
    const disabled = await trunkline.adminApi('POST', `/accounts/${one.sid}/disable`)
    expect(disabled.body).toMatchObject({ status: 'suspended' })

    for (const client of [one.client, clientOf(key.sid, key.secret, one.sid)]) {
      const refused = { status: 403, code: 20005 }
      await expect(client.calls.list()).rejects.toMatchObject(refused)
      await expect(client.api.accounts(one.sid).fetch()).rejects.toMatchObject(refused)
      await expect(numbered(client)).rejects.toMatchObject(refused)
    }
    const wrong = clientOf(one.sid, '0'.repeat(32))
    await expect(wrong.calls.list()).rejects.toMatchObject({ status: 401, code: 20003 })
    const registry = await fetch(`${trunkline.http}/v2/csp/csp/profile`, {
      headers: { authorization: `Bearer ${one.secret}` },
    })
    expect(registry.status).toBe(403)

    const told = await app.completed(talking.sid)
    expect(told.at(-1)).toMatchObject({ CallStatus: 'completed', AccountSid: one.sid })
    const [report] = app.sink.requests.filter(({ params }) =>
      [...params].some(([name, value]) => name === 'CallSid' && value === talking.sid),
    )
    const signature = String(report?.headers['x-compat-signature'])
    const params = Object.fromEntries(report?.params ?? [])
    expect(twilio.validateRequest(one.secret, signature, `${app.url}/status`, params)).toBe(true)
    expect((await other.client.calls(theirs.sid).fetch()).status).toBe('in-progress')

    await trunkline.adminApi('POST', `/accounts/${one.sid}/enable`)
    // Its turn may have come before the account was disabled: then it has talked as well.
    const isOver = (status: string) => ['canceled', 'completed', 'failed'].includes(status)
    const queuedStatus = async () => (await one.client.calls(queued.sid).fetch()).status
    await waitUntil('the other is over', async () => isOver(await queuedStatus()), LIMIT_MS)
    const events = await one.client.calls(talking.sid).events.list()
    expect(JSON.stringify(events)).not.toContain(other.sid)
    const log = await fetch(
      `${trunkline.http}/2010-04-01/Accounts/${one.sid}/Calls/${talking.sid}/Events.json`,
      { headers: { authorization: `Basic ${btoa(`${one.sid}:${one.secret}`)}` } },
    )
    expect(await log.text()).toContain('"code":20005')
    await other.client.calls(theirs.sid).update({ status: 'completed' })
  })
})

describe('a new token', () => {
  it('signs webhooks at once; the former one opens for its overlap and no longer', async () => {
    const { sid, secret, client } = await newAccount()
    const rotate = async (body: object) =>
      (await trunkline.adminApi('POST', `/Accounts/${sid}/RotateKey`, body)).body
    // Longer than a busy machine needs for a call.
    const second = String((await rotate({ overlapSeconds: 600 }))['authToken'])
    const call = await numbered(clientOf(sid, second), '+15005550005')
    const told = await app.completed(call.sid)
    expect(told).toHaveLength(1)
    const [report] = app.sink.requests.filter(({ params }) =>
      [...params].some(([name, value]) => name === 'CallSid' && value === call.sid),
    )
    const signature = String(report?.headers['x-compat-signature'])
    const params = Object.fromEntries(report?.params ?? [])
    const isSignedWith = (token: string) =>
      twilio.validateRequest(token, signature, `${app.url}/status`, params)
    expect([isSignedWith(second), isSignedWith(secret)]).toEqual([true, false])
    expect(await client.calls.list()).toHaveLength(1)
    const third = String((await rotate({ overlapSeconds: 2 }))['authToken'])
    const isOpen = async () => {
      try {
        await clientOf(sid, second).calls.list({ limit: 1 })
        return true
      } catch {
        return false // 401: the token has stopped.
      }
    }
    await waitUntil('the overlap is over', async () => !(await isOpen()), LIMIT_MS)
    expect(await clientOf(sid, third).calls.list()).toHaveLength(1)
    const fourth = String((await rotate({}))['authToken'])
    await expect(clientOf(sid, third).calls.list()).rejects.toMatchObject({ status: 401 })
    expect(await clientOf(sid, fourth).calls.list()).toHaveLength(1)
  })
})
