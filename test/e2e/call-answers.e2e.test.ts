import { expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'

const place = (trunkline: RunningTrunkline, to: string) =>
  trunkline.createCall({
    To: to,
    From: '+15005550000',
    Markup: '<Response><Pause length="60"/></Response>',
  })

it.each([
  // 0002 answers; 0007 rings and is never picked up.
  ['a call that talks', '+15005550002', 'in-progress', 'completed'],
  ['a call that rings', '+15005550007', 'ringing', 'canceled'],
])('an update with Status=completed answers %s as it will be', async (_title, to, live, ended) => {
  await using trunkline = await startTrunkline()
  const { sid } = await place(trunkline, to)
  await expect
    .poll(async () => (await trunkline.fetchCall(sid)).status, { timeout: 20_000 })
    .toBe(live)
  const answer = await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
  expect(answer).toMatchObject({ status: 200, body: { sid, status: ended } })
  await expect
    .poll(async () => (await trunkline.fetchCall(sid)).status, { timeout: 20_000 })
    .toBe(ended)
})

it('queue_time grows while a call waits for its turn, alone and in the list', async () => {
  await using trunkline = await startTrunkline({ CALLS_PER_SECOND: '1' })
  // The last of thirty starts after half a minute.
  await Promise.all(Array.from({ length: 29 }, () => place(trunkline, '+15005550002')))
  const { sid } = await place(trunkline, '+15005550002')
  const waited = async () => Number((await trunkline.fetchCall(sid))['queue_time'])
  await expect.poll(waited, { timeout: 20_000 }).toBeGreaterThan(1_000)
  const { body } = await trunkline.api('GET', '/Calls.json')
  const listed = (body['calls'] as readonly Record<string, unknown>[]).find(
    (call) => call['sid'] === sid,
  )
  expect(Number(listed?.['queue_time'])).toBeGreaterThan(1_000)

  await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'canceled' })
  const ended = await trunkline.fetchCall(sid)
  expect(ended.status).toBe('canceled')
  expect(Number(ended['queue_time'])).toBeGreaterThan(1_000)
})
