import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { openLab } from '../support/media/lab.js'
import { TelephonyRig } from '../support/media/telephony-rig.js'
import { waitUntil } from '../support/time/wait-until.js'
import { describeServers } from './telephony-servers.contract.js'

async function twoLabs() {
  const [first, second] = await Promise.all([openLab(), openLab()])
  return {
    labs: [first, second] as const,
    drachtioUrl: first.drachtioUrl,
    freeswitchUrl: first.freeswitchUrl,
    freeswitchUrls: [first.freeswitchUrl, second.freeswitchUrl] as const,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()])
    },
  }
}

describeServers('the lab', twoLabs)

describe('a media server that is killed', () => {
  let servers: Awaited<ReturnType<typeof twoLabs>>
  let dying: Lab
  let rig: TelephonyRig
  beforeAll(async () => {
    servers = await twoLabs()
    dying = servers.labs[1]
    rig = await TelephonyRig.open(servers, { freeswitchUrls: servers.freeswitchUrls })
    await waitUntil('both are up', () => healths().every((health) => health === 'up'), 15_000)
  })
  afterAll(async () => {
    await rig.close()
    await servers[Symbol.asyncDispose]()
  })
  const healths = () =>
    rig.telephony
      .servers()
      .filter(({ kind }) => kind === 'freeswitch')
      .map(({ health }) => health)

  it('ends its own calls alone, is replaced at once, and is used again', async () => {
    const calls = await Promise.all([rig.dialed(), rig.dialed(), rig.dialed(), rig.dialed()])
    process.kill(dying.pid ?? 0, 'SIGKILL')
    const ended = () => calls.filter(({ events }) => events.ends.length > 0)
    await waitUntil('its calls have ended', () => ended().length === 2, 5_000)
    for (const { events } of ended())
      expect(events.end).toMatchObject({ cause: 'media-lost', sipStatus: 200 })
    const meanwhile = await Promise.all([rig.dialed(), rig.dialed()])
    expect(meanwhile.map(({ leg }) => leg.state)).toEqual(['answered', 'answered'])
    // The lab's supervisor starts it again on the same ports.
    await waitUntil('it is back', () => healths().every((health) => health === 'up'), 30_000)
    // Seven calls are now shared between two servers, whichever of them took the two before.
    await Promise.all([rig.dialed(), rig.dialed(), rig.dialed()])
    expect(rig.telephony.servers().at(-1)?.ownChannels).toBeGreaterThanOrEqual(3)
    expect(calls.filter(({ leg }) => leg.state === 'answered')).toHaveLength(2)
  })
})
