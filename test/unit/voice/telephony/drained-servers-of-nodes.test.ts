import { expect, it } from 'vitest'
import { drainedNodes } from '../../../support/voice/drained-nodes.js'

it('a drained server is known to every node that runs', async () => {
  await using t = await drainedNodes()
  const one = await t.open()
  const other = await t.open()
  await one.servers.set('m1:8021', true)
  await expect.poll(other.drained).toEqual(['m1:8021'])
  await other.servers.set('m1:8021', false)
  await expect.poll(one.drained).toEqual([])
})
