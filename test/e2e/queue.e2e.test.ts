import { once } from 'node:events'
import { join } from 'node:path'
import twilio from 'twilio'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 30_000

let trunkline: RunningTrunkline
let app: VoiceApp
const peers: SipPeer[] = []

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  app.page('/enqueued', '<Hangup/>')
  app.page('/dialled', '<Hangup/>')
  app.page('/wait', `<Play>${app.url}/tone.wav</Play>`)
  app.page('/announcement', `<Play>${app.url}/tone.wav?once</Play>`)
})
afterEach(() => {
  for (const peer of peers.splice(0)) peer.close()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

interface Party {
  readonly sid: string
  readonly call: PeerCall
  readonly peer: SipPeer
}

/** Calls somebody who answers, says this tone, and runs the markup. */
async function party(tone: number, markup: string): Promise<Party> {
  const peer = await SipPeer.open()
  peers.push(peer)
  const invited = peer.nextCall(LIMIT_MS)
  const { sid } = await trunkline.createCall({
    To: peer.uri('party'),
    From: '+15551112222',
    Markup: `<Response>${markup}</Response>`,
    StatusCallback: `${app.url}/status`,
  })
  const call = await invited
  await call.answer()
  peer.rtp.speak(tone)
  return { sid, call, peer }
}

interface Waiting {
  readonly wait?: string
  readonly attributes?: string
}

const caller = (tone: number, queue: string, { wait = '/wait', attributes = '' }: Waiting = {}) =>
  party(
    tone,
    `<Enqueue action="${app.url}/enqueued" waitUrl="${app.url}${wait}" ${attributes}>${queue}</Enqueue>`,
  )

const agent = (tone: number, queue: string, attributes = '', of = '') =>
  party(
    tone,
    `<Dial action="${app.url}/dialled" ${of}><Queue ${attributes}>${queue}</Queue></Dial>`,
  )

const hears = ({ peer }: Party, tone: number) =>
  waitUntil(`${tone} Hz is heard`, () => peer.rtp.hears(tone), LIMIT_MS)

const asked = (path: string, sid: string) =>
  app.sink.requests
    .filter(({ target }) => target === path)
    .map(({ params }) => Object.fromEntries(params))
    .filter((params) => params['CallSid'] === sid)

const result = async ({ sid }: Party) => {
  const told = await app.asked('/enqueued', sid)
  await app.completed(sid)
  expect(asked('/enqueued', sid)).toHaveLength(1)
  return told['QueueResult']
}

describe('a queue', () => {
  it('connects who has waited longest, each with the tone of the other, and tells both how it went', async () => {
    const first = await caller(700, 'support')
    await hears(first, 440)
    const second = await caller(1_100, 'support')
    await hears(second, 440)
    expect(await app.asked('/wait', second.sid)).toMatchObject({
      QueueSid: expect.stringMatching(/^QU[0-9a-f]{32}$/) as unknown,
      QueuePosition: '2',
      CurrentQueueSize: '2',
      MaxQueueSize: '100',
      QueueTime: expect.stringMatching(/^\d+$/) as unknown,
      AvgQueueTime: expect.stringMatching(/^\d+$/) as unknown,
    })
    const one = await agent(1_500, 'support', `url="${app.url}/announcement"`)
    await hears(one, 700)
    await hears(first, 1_500)
    expect(await app.asked('/announcement', first.sid)).toMatchObject({
      DequeingCallSid: one.sid,
      QueueSid: (await app.asked('/wait', first.sid))['QueueSid'],
    })
    const other = await agent(1_900, 'support')
    await hears(other, 1_100)
    one.call.bye()
    expect(await app.asked('/enqueued', first.sid)).toMatchObject({
      QueueResult: 'bridged',
      QueueTime: expect.stringMatching(/^\d+$/) as unknown,
    })
    second.call.bye()
    expect(await app.asked('/dialled', other.sid)).toMatchObject({
      DialCallStatus: 'completed',
      DialCallSid: second.sid,
      DialBridged: 'true',
    })
    expect(await result(first)).toBe('bridged')
    expect(await result(second)).toBe('bridged')
    await app.completed(other.sid)
    await expectNothingLeft(trunkline)
  })

  it('lets an agent wait for somebody to come, but no longer than asked', async () => {
    const early = await caller(700, 'late')
    await hears(early, 440)
    early.call.bye()
    expect(await result(early)).toBe('hangup')
    const patient = await agent(1_500, 'late', '', 'timeout="60"')
    const hasty = await agent(1_900, 'late', '', 'timeout="5"')
    const nobodys = await agent(2_300, 'never made')
    expect(await app.asked('/dialled', nobodys.sid)).toMatchObject({ DialCallStatus: 'failed' })
    expect(await app.asked('/dialled', hasty.sid)).toMatchObject({ DialCallStatus: 'no-answer' })
    const { body } = await trunkline.api('GET', `/Calls/${hasty.sid}/Events.json`)
    expect(JSON.stringify(body)).toContain('15002')
    const late = await caller(700, 'late')
    await hears(patient, 700)
    patient.call.bye()
    expect(await result(late)).toBe('bridged')
    await expectNothingLeft(trunkline)
  })

  it('parts caller and agent when the timeLimit of the Dial is over, and both go on', async () => {
    const waiting = await caller(700, 'brief')
    await hears(waiting, 440)
    const one = await agent(1_500, 'brief', '', 'timeLimit="2"')
    await hears(one, 700)
    await hears(waiting, 1_500)
    const dialled = await app.asked('/dialled', one.sid)
    expect(dialled).toMatchObject({
      CallStatus: 'in-progress',
      DialCallSid: waiting.sid,
      DialCallStatus: 'completed',
      DialBridged: 'true',
    })
    expect(await result(waiting)).toBe('bridged')
    expect((await app.completed(one.sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    await expectNothingLeft(trunkline)
  })

  it.each([
    ['leave', '<Leave/>'],
    ['hangup', '<Hangup/>'],
    ['error', '<Say>never closed'],
    ['error', '<Dial>+15005550001</Dial>'],
  ])('ends with %s when the waiting leads to %s', async (expected, verbs) => {
    app.page('/way-out', verbs)
    const one = await caller(700, 'ways', { wait: '/way-out' })
    expect(await result(one)).toBe(expected)
  })

  it('tells of callers who are taken away, or whom there is no room for', async () => {
    const waiting = await caller(700, 'doors', { attributes: 'maxQueueSize="1"' })
    await hears(waiting, 440)
    const tooMany = await caller(1_100, 'doors', { attributes: 'maxQueueSize="1"' })
    expect(await result(tooMany)).toBe('queue-full')
    const elsewhere = { Markup: '<Response><Hangup/></Response>' }
    await trunkline.api('POST', `/Calls/${waiting.sid}.json`, elsewhere)
    expect(await result(waiting)).toBe('redirected')
    const talking = await caller(700, 'doors')
    const one = await agent(1_500, 'doors')
    await hears(talking, 1_500)
    await trunkline.api('POST', `/Calls/${talking.sid}.json`, elsewhere)
    expect(await result(talking)).toBe('redirected-from-bridged')
    expect(await app.asked('/dialled', one.sid)).toMatchObject({ DialCallStatus: 'completed' })
    const nameless = await caller(700, '')
    expect(await result(nameless)).toBe('error')
    await expectNothingLeft(trunkline)
  })

  it('plays music where no document says what to play, and goes on after the queue', async () => {
    const peer = await party(700, `<Enqueue>music</Enqueue><Play>${app.url}/tone.wav</Play>`)
    await hears(peer, 523)
    const one = await agent(1_500, 'music')
    await hears(peer, 1_500)
    one.call.bye()
    await hears(peer, 440)
    await app.completed(peer.sid)
    await expectNothingLeft(trunkline)
  })

  it("shows its callers to the convention's own client, and gives one another document", async () => {
    const client = twilio(trunkline.account.sid, trunkline.account.secret)
    client.api.baseUrl = trunkline.http
    const made = await client.queues.create({ friendlyName: 'shown', maxSize: 2 })
    expect(made).toMatchObject({ currentSize: 0, maxSize: 2, averageWaitTime: 0 })
    const queue = client.queues(made.sid)
    const first = await caller(700, 'shown')
    await app.asked('/wait', first.sid)
    const second = await caller(1_100, 'shown')
    await app.asked('/wait', second.sid)
    expect(await result(await caller(1_500, 'shown'))).toBe('queue-full')
    expect(await queue.fetch()).toMatchObject({ currentSize: 2, friendlyName: 'shown' })
    const members = await queue.members.list()
    expect(members.map(({ callSid, position }) => [callSid, position])).toEqual([
      [first.sid, 1],
      [second.sid, 2],
    ])
    await expect(queue.remove()).rejects.toMatchObject({ status: 409, code: 20009 })
    expect((await queue.members('Front').fetch()).callSid).toBe(first.sid)
    expect((await queue.members(second.sid).fetch()).queueSid).toBe(made.sid)
    app.page('/elsewhere', '<Hangup/>')
    await queue.members('Front').update({ url: `${app.url}/elsewhere`, method: 'POST' })
    expect(await result(first)).toBe('redirected')
    expect(asked('/elsewhere', first.sid)).toHaveLength(1)
    await expect(queue.members(first.sid).fetch()).rejects.toMatchObject({ status: 404 })
    second.call.bye()
    expect(await result(second)).toBe('hangup')
    expect((await queue.fetch()).currentSize).toBe(0)
    expect(await queue.remove()).toBe(true)
    await expectNothingLeft(trunkline)
  })
})

describe('a server that is killed with callers in queues', () => {
  it('has none of them in a queue when it runs again, and has told each result once', async () => {
    await using other = await startVoiceApp()
    other.page('/wait', `<Play>${other.url}/tone.wav</Play>`)
    await using killed = await startTrunkline()
    const to = async (markup: string) => {
      const peer = await SipPeer.open()
      peers.push(peer)
      const invited = peer.nextCall(LIMIT_MS)
      const { sid } = await killed.createCall({
        To: peer.uri('party'),
        From: '+15551112222',
        Markup: `<Response>${markup}</Response>`,
        StatusCallback: `${other.url}/status`,
      })
      await (await invited).answer()
      return { sid, peer }
    }
    const enqueue = `<Enqueue action="${other.url}/enqueued" waitUrl="${other.url}/wait">left</Enqueue>`
    const talking = await to(enqueue)
    await waitUntil('it waits', () => talking.peer.rtp.hears(440), LIMIT_MS)
    const waiting = await to(enqueue)
    await waitUntil('it waits', () => waiting.peer.rtp.hears(440), LIMIT_MS)
    const one = await to('<Dial><Queue>left</Queue></Dial>')
    one.peer.rtp.speak(1_500)
    await waitUntil('they talk', () => talking.peer.rtp.hears(1_500), LIMIT_MS)
    const exited = once(killed.server.process, 'exit')
    killed.server.process.kill('SIGKILL')
    await exited
    await using again = await startTrunkline({
      DATA_DIR: join(killed.folder, 'data'),
      FIRST_ACCOUNT_SID: killed.account.sid,
      FIRST_ACCOUNT_TOKEN: killed.account.secret,
    })
    const { body } = await again.api('GET', '/Queues.json')
    expect(body['queues']).toMatchObject([{ friendly_name: 'left', current_size: 0 }])
    const of = async ({ sid }: { sid: string }) => {
      const { length } = await other.completed(sid)
      // The action and the status callback take different ways.
      await other.asked('/enqueued', sid)
      const told = other.sink.requests
        .filter(({ target }) => target === '/enqueued')
        .map(({ params }) => Object.fromEntries(params))
        .filter((params) => params['CallSid'] === sid)
        .map((params) => params['QueueResult'])
      return { told, final: length, status: (await again.fetchCall(sid)).status }
    }
    expect(await of(waiting)).toEqual({ told: ['system-error'], final: 1, status: 'completed' })
    expect(await of(talking)).toEqual({ told: ['bridged'], final: 1, status: 'completed' })
    await other.completed(one.sid)
    expect((await again.fetchCall(one.sid)).status).toBe('completed')
  }, 120_000)
})
