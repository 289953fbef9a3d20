import { expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn } from '../support/process/process-memory.js'
import { startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { p95 } from '../support/sip/good-calls.js'
import { hangUp, type OfferedCall, offerCalls } from '../support/sip/offered-calls.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const ROOM = 100
const SERVICE = '15551112222'
const EVERY_MS = 25
const CAMPAIGN = 800
const CALLERS = 16
/** The INVITEs while the campaign starts. */
const INVITED = 20
const OUTBOUND = { To: '+15005550006', From: '+15005550000', Markup: '<Response/>' }

it('those who are let in are answered as soon as if nobody were refused [F48]', async ({
  task,
}) => {
  await using trunkline = await startTrunkline({ MAX_CALLS: String(ROOM), LOG_LEVEL: 'warn' })
  await using app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="120"/>')
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice` })
  const peer = await SipPeer.open()
  const round = async (count: number, everyMs: number): Promise<readonly OfferedCall[]> => {
    const offer = { user: SERVICE, count, everyMs }
    const offered = await offerCalls(peer, trunkline.sipPort, offer)
    await hangUp(offered)
    await expectNothingLeft(trunkline)
    return offered
  }
  const times = (offered: readonly OfferedCall[]) =>
    offered.filter(({ status }) => status === 200).map(({ ms }) => ms)
  await round(ROOM, EVERY_MS)
  const within = await round(ROOM, EVERY_MS)
  // The same hundred come in the same time, and fifty more between them.
  const beyond = await round(ROOM * 1.5, EVERY_MS / 1.5)
  const refused = beyond.filter(({ status }) => status === 503)
  peer.close()
  reportRow(task, 'F48', {
    'room, offered': `${String(ROOM)}, ${String(beyond.length)}`,
    refused: refused.length,
    'admitted, p95 ms within the limit, beyond it': `${String(p95(times(within)))}, ${String(p95(times(beyond)))}`,
    'refused, p95 ms': p95(refused.map(({ ms }) => ms)),
  })
  expect(times(within)).toHaveLength(ROOM)
  expect(times(beyond)).toHaveLength(ROOM)
  expect(refused).toHaveLength(ROOM / 2)
  expect(refused.filter(({ retryAfter }) => !/^\d+$/.test(retryAfter))).toEqual([])
  expect(p95(times(beyond))).toBeLessThan(Math.max(100, 2 * p95(times(within))))
  expect(errorsIn(trunkline)).toEqual([])
})

it('a campaign of calls waits for its starts: none of it is refused, and no call that comes in', async () => {
  // Far beyond what one call waits for another, and below what all of them at once would.
  await using trunkline = await startTrunkline({
    CALLS_PER_SECOND: '100000',
    MAX_CALL_DELAY_MS: '600',
  })
  await using app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
  const created: number[] = []
  const caller = async () => {
    for (let call = 0; call < CAMPAIGN / CALLERS; call += 1)
      created.push((await trunkline.api('POST', '/Calls.json', OUTBOUND)).status)
  }
  const campaign = Promise.all(Array.from({ length: CALLERS }, caller))
  const peer = await SipPeer.open()
  const offer = { user: SERVICE, count: INVITED, everyMs: 100 }
  const offered = await offerCalls(peer, trunkline.sipPort, offer)
  await campaign
  expect(offered.map(({ status }) => status)).toEqual(Array(INVITED).fill(200))
  expect(created).toEqual(Array(CAMPAIGN).fill(201))
  await hangUp(offered)
  await expectNothingLeft(trunkline)
  expect((await trunkline.metrics())['calls_refused_late']).toBe(0)
  peer.close()
})
