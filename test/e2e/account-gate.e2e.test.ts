import { afterAll, beforeAll, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'

/** One address may fail 200 times at once, over all APIs together. */
const GUESSES = 200

let trunkline: RunningTrunkline
beforeAll(async () => {
  trunkline = await joinTrunkline()
})
afterAll(() => trunkline[Symbol.asyncDispose]())

it("an account's AllowCidr closes the registry to other addresses too", async () => {
  const made = (await trunkline.adminApi('POST', '/accounts', { friendlyName: 'gated' })).body
  const [sid, secret] = [String(made['accountSid']), String(made['authToken'])]
  const headers = {
    authorization: `Basic ${Buffer.from(`${sid}:${secret}`).toString('base64')}`,
  }
  const account = `${trunkline.http}/2010-04-01/Accounts/${sid}`
  const read = () =>
    fetch(`${trunkline.http}/v2/csp/csp/profile`, {
      headers: { authorization: `Bearer ${secret}` },
    })
  expect((await read()).status).toBe(200)
  const body = new URLSearchParams({ AllowCidr: '192.0.2.0/24' })
  expect((await fetch(`${account}.json`, { method: 'POST', headers, body })).status).toBe(200)
  const closed = await fetch(`${account}/Calls.json`, { headers })
  expect(await closed.json()).toMatchObject({ code: 20006 })
  const refused = await read()
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject([{ code: 205 }])
})

it('wrong credentials are counted over the voice API and the registry together', async () => {
  const guess = async (path: string, authorization: string) =>
    (await fetch(`${trunkline.http}${path}`, { headers: { authorization } })).status
  const basic = Buffer.from(`${trunkline.account.sid}:${'0'.repeat(32)}`).toString('base64')
  const calls = `/2010-04-01/Accounts/${trunkline.account.sid}/Calls.json`
  const guesses = Array.from({ length: GUESSES }, () => [
    guess(calls, `Basic ${basic}`),
    guess('/v2/csp/csp/profile', `Bearer ${'0'.repeat(32)}`),
  ])
  // At once: the count forgets 20 in a second, and a busy machine may need ten for all of them.
  const statuses = new Set(await Promise.all(guesses.flat()))
  expect([...statuses].sort()).toEqual([401, 429])
  expect((await trunkline.api('GET', '/Calls.json')).status).toBe(200)
})
