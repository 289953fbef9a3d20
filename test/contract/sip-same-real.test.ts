/** Replays one script on the lab and on the drachtio that `DRACHTIO_URL` names, and compares. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLab } from '../support/media/lab.js'
import { realServers } from '../support/process/real-servers.js'
import { connectClient } from '../support/sip/drachtio-client.js'
import { type CallTraffic, replayDialogs } from '../support/sip/replay-dialogs.js'

const SCRIPT = new URL('../conformance/scripts/dialogs.txt', import.meta.url)

async function trafficOf(
  drachtioUrl: string,
  sipPort: number,
): Promise<Readonly<Record<string, CallTraffic>>> {
  const { port, password } = new URL(drachtioUrl)
  const client = await connectClient(Number(port), password)
  try {
    return await replayDialogs(readFileSync(SCRIPT, 'utf8'), client, sipPort)
  } finally {
    client.disconnect()
  }
}

/** Without the 100s: drachtio sends them at once, the lab after 200 ms (RFC 3261 §17.2.1). */
function withoutTrying(
  traffic: Readonly<Record<string, CallTraffic>>,
): Readonly<Record<string, CallTraffic>> {
  return Object.fromEntries(
    Object.entries(traffic).map(([call, each]) => [
      call,
      { ...each, phone: each.phone.filter((message) => !message.startsWith('SIP/2.0 100 ')) },
    ]),
  )
}

describe('the lab', () => {
  it('carries each call of the script of SIP to its end', async () => {
    await using lab = await openLab()
    const traffic = await trafficOf(lab.drachtioUrl, lab.sipPort)
    expect(Object.keys(traffic)).toHaveLength(9)
  })
})

describe('the lab beside drachtio', () => {
  const isReal = process.env['DRACHTIO_URL'] !== undefined
  it.skipIf(!isReal)(
    `sends the same and tells the same${isReal ? '' : ' (needs DRACHTIO_URL and FREESWITCH_URL)'}`,
    async () => {
      const servers = await realServers()
      if (servers === undefined) throw new Error('DRACHTIO_URL and FREESWITCH_URL go together')
      await using lab = await openLab()
      const real = await trafficOf(servers.env.DRACHTIO_URL, servers.sipPort)
      const ours = await trafficOf(lab.drachtioUrl, lab.sipPort)
      expect(withoutTrying(ours)).toEqual(withoutTrying(real))
    },
  )
})
