import { expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { hangUp, type OfferedCall, offerCalls } from '../support/sip/offered-calls.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp } from '../support/voice/voice-app.js'

const ROOM = 20
const OFFERED = 30
/** The INVITEs and the POSTs of one burst, and the most bursts. */
const WAVE = 40
const POSTS = 10
const WAVES = 10
const CAMPAIGN = 80
const CALLERS = 8
/** The INVITEs while the campaign starts. */
const INVITED = 5
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

it('a server that is late refuses new calls at once, by SIP and by REST, and ends well those that it took', async () => {
  await using trunkline = await startTrunkline({ MAX_CALL_DELAY_MS: '20' })
  await using app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
  const peer = await SipPeer.open()
  const offered: OfferedCall[] = []
  const created: Awaited<ReturnType<RunningTrunkline['api']>>[] = []
  const refused = () => offered.filter(({ status }) => status !== 200)
  const tooMany = () => created.filter(({ status }) => status === 429)
  const create = async () => {
    const answer = await trunkline.api('POST', '/Calls.json', OUTBOUND)
    created.push(answer)
    return answer.status
  }
  const isPaced = async () => (await trunkline.metrics())['calls_taken_per_second'] !== undefined
  // A server that has just started may be late.
  await expect.poll(create, { timeout: 30_000, interval: 100 }).toBe(201)
  await expect.poll(isPaced, { timeout: 30_000, interval: 100 }).toBe(false)
  // More at once than any machine sets up in the limit, until both ways in have refused some.
  for (let wave = 0; wave < WAVES && (!refused().length || !tooMany().length); wave += 1) {
    const offering = offerCalls(peer, trunkline.sipPort, {
      user: SERVICE,
      count: WAVE,
      everyMs: 2,
    })
    for (let post = 0; post < POSTS; post += 1) await create()
    offered.push(...(await offering))
  }
  expect(new Set(refused().map(({ status }) => status))).toEqual(new Set([503]))
  expect(refused().filter(({ retryAfter }) => !/^\d+$/.test(retryAfter))).toEqual([])
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201, 429]))
  for (const { headers, body } of tooMany()) {
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
    expect(body).toMatchObject({ status: 429, code: 20429 })
  }
  const { calls_refused_late: counted } = await trunkline.metrics()
  expect(counted).toBe(refused().length + tooMany().length)

  const admitted = await hangUp(offered)
  await expectNothingLeft(trunkline)
  const { body } = await trunkline.api('GET', '/Calls.json?PageSize=1000')
  const calls = body['calls'] as readonly { sid: string; status: string; direction: string }[]
  const inbound = calls.filter(({ direction }) => direction === 'inbound')
  // What was refused has left nothing behind.
  expect(inbound).toHaveLength(admitted)
  expect(calls).toHaveLength(admitted + created.length - tooMany().length)
  expect(new Set(inbound.map(({ status }) => status))).toEqual(new Set(['completed']))
  for (const { sid } of inbound) expect(await app.completed(sid)).toHaveLength(1)

  // Late no more, it takes calls again.
  const again = async () => {
    const one = await offerCalls(peer, trunkline.sipPort, { user: SERVICE, count: 1, everyMs: 0 })
    await hangUp(one)
    return one.map(({ status }) => status)
  }
  await expect.poll(again, { timeout: 30_000, interval: 100 }).toEqual([200])
  await expect.poll(isPaced, { timeout: 30_000, interval: 100 }).toBe(false)
  await expectNothingLeft(trunkline)
  peer.close()
})

it('a campaign of calls waits for its starts: none of it is refused, and no call that comes in', async () => {
  // How many calls a machine starts in time is for the torture to find.
  await using trunkline = await startTrunkline({
    CALLS_PER_SECOND: '100000',
    MAX_CALL_DELAY_MS: '5000',
  })
  await using app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
  const body = { ...OUTBOUND, To: '+15005550006' }
  const created: number[] = []
  const caller = async () => {
    for (let call = 0; call < CAMPAIGN / CALLERS; call += 1)
      created.push((await trunkline.api('POST', '/Calls.json', body)).status)
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
