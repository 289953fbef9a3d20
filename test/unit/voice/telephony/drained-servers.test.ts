import { expect, it } from 'vitest'
import { drainedNodes } from '../../../support/voice/drained-nodes.js'

it('drains a server, tells its state, and takes it into use again', async () => {
  await using t = await drainedNodes()
  const { servers, drained } = await t.open()
  expect(await servers.set('m2:8021', true)).toMatchObject({ name: 'm2:8021', isDrained: true })
  expect(await servers.set('m2:8021', true)).toMatchObject({ isDrained: true })
  expect(drained()).toEqual(['m2:8021'])
  expect(await servers.set('m2:8021', false)).toMatchObject({ isDrained: false })
  expect(await servers.set('m2:8021', false)).toMatchObject({ isDrained: false })
  expect(drained()).toEqual([])
})

it('knows no other server', async () => {
  await using t = await drainedNodes()
  const { servers } = await t.open()
  expect(await servers.set('m3:8021', true)).toBeUndefined()
})

it('is obeyed by a node that starts later', async () => {
  await using t = await drainedNodes()
  const { servers } = await t.open()
  await servers.set('m1:8021', true)
  expect((await t.open()).drained()).toEqual(['m1:8021'])
})
