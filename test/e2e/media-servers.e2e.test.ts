import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  killOneUnder,
  startWithTwoMediaServers,
  type TwoMediaServers,
} from '../support/media/two-media-servers.js'

const LONG = '<Pause length="300"/>'

describe('two media servers', () => {
  let t: TwoMediaServers
  beforeAll(async () => {
    t = await startWithTwoMediaServers()
  })
  afterAll(async () => {
    await t[Symbol.asyncDispose]()
  })

  it('one is drained for maintenance: it gets no new call, and none of its calls is cut', async () => {
    const { trunkline, names } = t
    const sids = await t.callsOn(names.dying, 2, LONG)
    const drained = await t.drain(names.dying, true)
    expect(drained).toMatchObject({
      status: 200,
      body: { name: names.dying, isDrained: true, ownChannels: 2 },
    })
    const more = await t.calls(3, LONG)
    expect((await t.server(names.dying))?.ownChannels).toBe(2)
    const ready = await fetch(`${trunkline.http}/readyz`)
    expect(ready.status).toBe(200)
    expect(await ready.json()).toMatchObject({ servers: '1 of 3 drained' })
    expect(await trunkline.metrics()).toMatchObject({
      [`server_drained{kind="freeswitch",server="${names.dying}"}`]: 1,
      [`server_up{kind="freeswitch",server="${names.dying}"}`]: 1,
    })
    for (const sid of [...sids, ...more])
      expect((await trunkline.fetchCall(sid)).status).toBe('in-progress')
    await t.hangUp([...sids, ...more])
    const used = await t.drain(names.dying, false)
    expect(used.body).toMatchObject({ isDrained: false, ownChannels: 0 })
  })

  it('an unknown server cannot be drained', async () => {
    expect(await t.drain('nobody:1', true)).toMatchObject({ status: 404 })
  })

  it('the calls of a killed one end with one callback each, and the others go on', async () => {
    const { live, mostCallbacks } = await killOneUnder(t, 6)
    expect(mostCallbacks).toBe(1)
    for (const sid of live) expect((await t.trunkline.fetchCall(sid)).status).toBe('in-progress')
    await t.hangUp(live)
  })

  it('a Dial is placed on the server of its caller', async () => {
    const before = (await t.servers()).map(({ ownChannels }) => ownChannels)
    const sids = await t.calls(1, `<Dial><Sip>${t.phone}</Sip></Dial>`)
    const added = async () =>
      (await t.servers()).map(({ ownChannels }, i) => ownChannels - (before[i] ?? 0))
    // One drachtio with two legs, and two channels on one of the media servers.
    await expect.poll(async () => (await added()).toSorted()).toEqual([0, 2, 2])
    await t.hangUp(sids)
  })
})
