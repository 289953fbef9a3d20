import { expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { hangUp, offerCalls } from '../support/sip/offered-calls.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const ROOM = 20
const OFFERED = 30
const SERVICE = '15551112222'
const OUTBOUND = { To: '+15005550005', From: '+15005550000', Markup: '<Response/>' }

it('half as much again as there is room for: exactly the excess is refused, by SIP and by REST [F48]', async ({
  task,
}) => {
  await using trunkline = await startTrunkline({ MAX_CALLS: String(ROOM) })
  await using app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
  const peer = await SipPeer.open()
  const offer = { user: SERVICE, count: OFFERED, everyMs: 0 }
  const offered = await offerCalls(peer, trunkline.sipPort, offer)
  const refused = offered.filter(({ status }) => status !== 200)
  expect(refused.map(({ status }) => status)).toEqual(Array(OFFERED - ROOM).fill(503))
  expect(refused.filter(({ retryAfter }) => !/^\d+$/.test(retryAfter))).toEqual([])

  const created = await trunkline.api('POST', '/Calls.json', OUTBOUND)
  expect(created).toMatchObject({ status: 429, body: { status: 429 } })
  expect(created.headers.get('retry-after')).toMatch(/^\d+$/)

  // Nobody who was let in is any the worse: each is still there to be hung up.
  expect(await hangUp(offered)).toBe(ROOM)
  await expectNothingLeft(trunkline)
  const { body } = await trunkline.api('GET', '/Calls.json?PageSize=100')
  const calls = body['calls'] as readonly { sid: string; status: string }[]
  expect(calls.map(({ status }) => status)).toEqual(Array(ROOM).fill('completed'))
  for (const { sid } of calls) expect(await app.completed(sid)).toHaveLength(1)

  const again = await offerCalls(peer, trunkline.sipPort, { ...offer, count: 1 })
  expect(again.map(({ status }) => status)).toEqual([200])
  await hangUp(again)
  peer.close()
  reportRow(task, 'F48', {
    'room, offered at once': `${String(ROOM)}, ${String(OFFERED)}`,
    'refused with Retry-After': refused.length,
    'admitted and lost': 0,
  })
})

it('a party that there is no room for is not dialled: 10004 in the event log', async () => {
  await using trunkline = await startTrunkline({ MAX_CALLS: '1' })
  const { sid } = await trunkline.createCall({
    To: '+15005550001',
    From: '+15551112222',
    Markup: '<Response><Dial>+15005550002</Dial></Response>',
  })
  const codes = async () => {
    const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
    const events = body['events'] as readonly { detail?: { code?: number } }[]
    return events.map(({ detail }) => detail?.code)
  }
  await expect.poll(codes, { timeout: 20_000, interval: 50 }).toContain(10004)
  await expectNothingLeft(trunkline)
})
