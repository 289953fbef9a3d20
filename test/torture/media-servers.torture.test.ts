import { expect, it } from 'vitest'
import { killOneUnder, startWithTwoMediaServers } from '../support/media/two-media-servers.js'
import { reportRow } from '../support/rows/rows.js'

const CALLS = 40

it('kill -9 of one of two media servers under 40 calls [F55]', async ({ task }) => {
  await using t = await startWithTwoMediaServers()
  const { figures, live, mostCallbacks } = await killOneUnder(t, CALLS)
  reportRow(task, 'F55', figures)
  expect(mostCallbacks).toBe(1)
  expect(figures['its calls had ended after, ms']).toBeLessThan(5_000)
  for (const sid of live) expect((await t.trunkline.fetchCall(sid)).status).toBe('in-progress')
  await t.hangUp(live)
})
