import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { askRest } from '../support/account/rest-client.js'
import { letterForm, PDF, SUBSCRIBER } from '../support/porting/port-samples.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'

type Body = Readonly<Record<string, unknown>>

let t: RunningTrunkline

beforeAll(async () => {
  t = await startTrunkline({ PORT_CARRIER: 'operator' })
  await t.adminApi('POST', `/accounts/${t.account.sid}/adjustments`, { amount: 100 })
})
afterAll(() => t[Symbol.asyncDispose]())

const rest = (method: string, path: string, body?: object) => askRest(t, method, path, body)

async function submit(number: string): Promise<string> {
  await rest('GET', `/ports/availability/${number}`)
  const order = { did: [number], ...SUBSCRIBER, pin: '1234' }
  return String((await rest('POST', '/account/port', order)).data['pid'])
}

const pidsIn = async (filter: string) =>
  ((await t.adminApi('GET', `/ports?${filter}`)).body['ports'] as Body[]).map(({ pid }) => pid)

it('the operator moves a port by hand, from its letter to its end', async () => {
  const pid = await submit('2025550151')
  const step = (method: string, path: string, body?: unknown) =>
    t.adminApi(method, `/ports/${pid}${path}`, body)
  expect((await step('POST', '/advance')).status).toBe(409)
  expect(await pidsIn('state=submitted&isSigned=false')).toEqual([pid])
  await rest('POST', `/ports/${pid}/loa`, letterForm())
  expect(await pidsIn('isSigned=true&number=%2B12025550151')).toEqual([pid])

  const shown = (await step('GET', '')).body
  expect(shown).toMatchObject({ state: 'submitted', pin: '1234', subscriber: { name: 'Acme Inc' } })
  const [letter] = shown['letters'] as Body[]
  const file = await fetch(`${t.admin}/ports/${pid}/letters/${String(letter?.['id'])}`, {
    headers: { authorization: `Bearer ${t.adminToken}` },
  })
  expect(Buffer.from(await file.arrayBuffer())).toEqual(PDF)

  expect((await step('POST', '/advance')).body['state']).toBe('validating')
  expect((await step('POST', '/reject', {})).status).toBe(400)
  const rejected = await step('POST', '/reject', { code: 'name' })
  expect(rejected.body).toMatchObject({ state: 'exception' })
  expect(rejected.body['message']).toContain('resubmit')
  expect((await rest('POST', `/ports/${pid}/resubmit`, { name: 'Acme LLC' })).status).toBe(200)
  for (const state of ['validating', 'pending'])
    expect((await step('POST', '/advance')).body['state']).toBe(state)
  expect((await step('POST', '/advance')).status).toBe(400)
  expect((await step('PUT', '/foc', { date: '2026-02-30' })).status).toBe(400)
  expect((await step('PUT', '/foc', { date: '2031-02-03' })).body).toMatchObject({
    state: 'foc',
    foc: '2031-02-03',
  })
  expect((await step('POST', '/advance')).body['state']).toBe('complete')
  expect((await step('POST', '/cancel')).status).toBe(409)
  expect((await t.adminApi('POST', '/ports/clock', { advanceMs: 1 })).status).toBe(400)
  expect((await t.adminApi('GET', '/ports/AAAA0')).status).toBe(404)
})

it('a number leaves by its PIN, cannot be removed meanwhile, and its calls leave with it', async () => {
  const number = '2025550152'
  await t.assignNumber(`+1${number}`, {})
  const peer = await SipPeer.open()
  onTestFinished(() => {
    peer.close()
  })
  const callEndsWith = async (status: number) => {
    const call = peer.call(t.sipPort, {
      user: `+1${number}`,
      from: `<sip:+15553334444@carrier.test>;tag=${String(Math.random())}`,
    })
    await call.response(status, 'INVITE')
  }
  const ask = (pin: string) =>
    t.adminApi('POST', '/port-outs', { number: `+1${number}`, pin, carrier: 'Other Telecom' })
  expect((await ask('')).status).toBe(409)
  await rest('PATCH', `/numbers/${number}/port-out-pin`, { pin: '0815' })
  await rest('PATCH', `/numbers/${number}/port-out-pin`, { pin: '4711' })
  expect((await ask('0815')).status).toBe(409)
  const first = await ask('4711')
  expect([first.status, first.body['state']]).toEqual([201, 'pending'])
  expect((await ask('4711')).status).toBe(409)
  expect((await rest('DELETE', `/numbers/${number}`)).status).toBe(409)
  // It has no voice URL, and is here until the other carrier has it.
  await callEndsWith(480)

  const path = (sid: unknown) => `/port-outs/${String(sid)}`
  const stays = await t.adminApi('POST', `${path(first.body['sid'])}/cancel`)
  expect(stays.body['state']).toBe('cancelled')
  expect((await t.adminApi('POST', `${path(first.body['sid'])}/complete`)).status).toBe(409)
  const second = await ask('4711')
  const leaves = await t.adminApi('POST', `${path(second.body['sid'])}/complete`)
  expect(leaves.body['state']).toBe('complete')
  await callEndsWith(404)
  expect((await rest('GET', `/numbers/${number}`)).status).toBe(404)
  const listed = (await t.adminApi('GET', '/port-outs')).body['portOuts'] as Body[]
  expect(listed.map(({ state }) => state).sort()).toEqual(['cancelled', 'complete'])
  // As all times of the private API.
  for (const { createdAt, updatedAt } of listed)
    for (const at of [createdAt, updatedAt])
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect((await ask('4711')).status).toBe(404)
})
