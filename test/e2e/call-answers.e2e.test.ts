import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const place = (trunkline: RunningTrunkline, to: string) =>
  trunkline.createCall({
    To: to,
    From: '+15005550000',
    Markup: '<Response><Pause length="60"/></Response>',
  })

/** Answers at once. */
const ANSWERS = '+15005550002'
/** Rings and is never picked up. */
const RINGS = '+15005550007'
const AT_ONCE = 10

/** Ends the calls, and looks at each of them as soon as that is answered. */
async function endAndLook(
  { account, http }: RunningTrunkline,
  sids: readonly string[],
  status: 'completed' | 'canceled',
) {
  const client = twilio(account.sid, account.secret)
  client.api.baseUrl = http
  return await Promise.all(
    sids.map(async (sid) => {
      const answered = await client.calls(sid).update({ status })
      const looked = await client.calls(sid).fetch()
      const listed = await client.calls.list({ to: answered.to })
      return { answered, looked, listed: listed.find((call) => call.sid === sid) }
    }),
  )
}

let trunkline: RunningTrunkline
/** Starts a call each second: the others wait for their turn. */
let slow: RunningTrunkline
beforeAll(async () => {
  trunkline = await startTrunkline()
  slow = await startTrunkline({ CALLS_PER_SECOND: '1' })
})
afterAll(async () => {
  await trunkline[Symbol.asyncDispose]()
  await slow[Symbol.asyncDispose]()
})

describe('an update that ends a call is answered once it has ended, and no look shows it live', () => {
  it.each([
    ['talk', ANSWERS, 'in-progress', 'completed', 'completed'],
    ['talk', ANSWERS, 'in-progress', 'canceled', 'completed'],
    ['ring', RINGS, 'ringing', 'completed', 'canceled'],
    ['ring', RINGS, 'ringing', 'canceled', 'canceled'],
  ] as const)('calls that %s (to %s, %s): %s', async (_what, to, live, asked, ended) => {
    const placed = Array.from({ length: AT_ONCE }, () => place(trunkline, to))
    const sids = (await Promise.all(placed)).map(({ sid }) => sid)
    const statuses = () =>
      Promise.all(sids.map(async (sid) => (await trunkline.fetchCall(sid)).status))
    await expect
      .poll(statuses, { timeout: 20_000 })
      .toEqual(Array.from({ length: AT_ONCE }, () => live))
    const seen = await endAndLook(trunkline, sids, asked)
    const over = { status: ended, endTime: expect.any(Date) as Date }
    expect(seen).toMatchObject(sids.map(() => ({ answered: over, looked: over, listed: over })))
  })

  it('calls that are dialled: canceled', async () => {
    const placed = Array.from({ length: AT_ONCE }, () => place(trunkline, RINGS))
    const sids = (await Promise.all(placed)).map(({ sid }) => sid)
    const over = { status: 'canceled', endTime: expect.any(Date) as Date }
    expect(await endAndLook(trunkline, sids, 'canceled')).toMatchObject(
      sids.map(() => ({ answered: over, looked: over, listed: over })),
    )
  })

  it('calls that wait for their turn: canceled', async () => {
    const placed = Array.from({ length: 3 * AT_ONCE }, () => place(slow, ANSWERS))
    const calls = await Promise.all(placed)
    const waiting = calls.filter(({ status }) => status === 'queued').slice(-AT_ONCE)
    const sids = waiting.map(({ sid }) => sid)
    const over = { status: 'canceled', endTime: expect.any(Date) as Date }
    expect(await endAndLook(slow, sids, 'canceled')).toMatchObject(
      sids.map(() => ({ answered: over, looked: over, listed: over })),
    )
  })
})

it('queue_time grows while a call waits for its turn, alone and in the list', async () => {
  // The last of thirty starts after half a minute.
  await Promise.all(Array.from({ length: 29 }, () => place(slow, ANSWERS)))
  const { sid } = await place(slow, ANSWERS)
  const waited = async () => Number((await slow.fetchCall(sid))['queue_time'])
  await expect.poll(waited, { timeout: 20_000 }).toBeGreaterThan(1_000)
  const { body } = await slow.api('GET', '/Calls.json')
  const listed = (body['calls'] as readonly Record<string, unknown>[]).find(
    (call) => call['sid'] === sid,
  )
  expect(Number(listed?.['queue_time'])).toBeGreaterThan(1_000)

  await slow.api('POST', `/Calls/${sid}.json`, { Status: 'canceled' })
  const ended = await slow.fetchCall(sid)
  expect(ended.status).toBe('canceled')
  expect(Number(ended['queue_time'])).toBeGreaterThan(1_000)
})
