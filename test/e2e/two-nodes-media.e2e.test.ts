import twilio from 'twilio'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startTwoNodes, type TwoNodes } from '../support/process/two-nodes.js'
import { startStreamServer } from '../support/streams/stream-server.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/**
 * A live call of one server is recorded, streamed and held in its room through the other one, by the
 * convention's own client, as behind a load balancer.
 */
const POLL = { timeout: 20_000, interval: 20 }
const PAUSE = '<Response><Pause length="300"/></Response>'

let app: VoiceApp
let nodes: TwoNodes
/** The server of the calls, and the one that is asked. */
let own: RunningTrunkline
let other: RunningTrunkline
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  app = await startVoiceApp()
  nodes = await startTwoNodes()
  ;({ a: own, b: other } = nodes)
  client = twilio(other.account.sid, other.account.secret)
  client.api.baseUrl = other.http
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function liveCall(markup = PAUSE): Promise<string> {
  const { sid } = await own.createCall({
    To: '+15005550003',
    From: '+15005550000',
    Markup: markup,
    StatusCallback: `${app.url}/status`,
  })
  await expect.poll(async () => (await other.fetchCall(sid)).status, POLL).toBe('in-progress')
  return sid
}

const inRoom = (name: string, attributes = '') =>
  liveCall(
    `<Response><Dial><Conference ${attributes}>${name}</Conference></Dial><Pause length="300"/></Response>`,
  )

/** Resolves with the room of that name once it has so many participants, as the other server shows it. */
async function room(friendlyName: string, size: number) {
  const find = async () => (await client.conferences.list({ friendlyName }))[0]
  await expect.poll(find, POLL).toBeDefined()
  const found = client.conferences((await find())?.sid ?? '')
  await expect.poll(async () => (await found.participants.list()).length, POLL).toBe(size)
  return found
}

const end = (sid: string) => client.calls(sid).update({ status: 'completed' })

/** The status and the number of the error that the client threw. */
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => 'not refused',
    (error: unknown) => {
      const { status, code } = error as { readonly status: number; readonly code: number }
      return [status, code]
    },
  )

it('a call is recorded, paused, resumed and stopped, once and with its callbacks', async () => {
  const sid = await liveCall()
  const { recordings } = client.calls(sid)
  const begun = await recordings.create({
    recordingChannels: 'dual',
    recordingStatusCallback: `${app.url}/recording`,
  })
  expect(begun).toMatchObject({ callSid: sid, status: 'in-progress', channels: 2 })
  // A call has one recording beside its document, whichever server is asked.
  expect((await recordings.create()).sid).toBe(begun.sid)
  expect((await own.api('POST', `/Calls/${sid}/Recordings.json`, {})).body['sid']).toBe(begun.sid)
  const current = client.calls(sid).recordings('Twilio.CURRENT')
  expect((await current.fetch()).sid).toBe(begun.sid)
  expect((await current.update({ status: 'paused' })).status).toBe('paused')
  expect((await recordings(begun.sid).update({ status: 'in-progress' })).status).toBe('in-progress')
  expect((await current.update({ status: 'stopped' })).sid).toBe(begun.sid)
  const told = await app.asked('/recording', sid)
  expect(told).toMatchObject({ RecordingSid: begun.sid, RecordingSource: 'StartCallRecordingAPI' })
  // The same refusals as on its own server.
  expect(await refusal(recordings(begun.sid).update({ status: 'paused' }))).toEqual([400, 21220])
  expect(await refusal(current.update({ status: 'paused' }))).toEqual([404, 20404])
  await end(sid)
  await app.completed(sid)
  expect(await refusal(recordings.create())).toEqual([400, 21220])
})

it('a recording that goes on is stopped and removed', async () => {
  const sid = await liveCall()
  const { sid: recording } = await client.calls(sid).recordings.create()
  expect(await client.recordings(recording).remove()).toBe(true)
  expect(await refusal(client.recordings(recording).fetch())).toEqual([404, 20404])
  // The call's own server has no recording under way: the next one is another.
  expect((await client.calls(sid).recordings.create()).sid).not.toBe(recording)
  await end(sid)
})

it('a call is streamed, and no more once the stream is stopped', async () => {
  await using server = await startStreamServer()
  const sid = await liveCall()
  const { streams } = client.calls(sid)
  const begun = await streams.create({
    url: server.url,
    name: 'agent',
    'parameter1.name': 'First',
    'parameter1.value': 'Jane',
  })
  expect(begun).toMatchObject({ callSid: sid, name: 'agent', status: 'in-progress' })
  const far = await server.started()
  expect(far.messages[1]).toMatchObject({
    start: { streamSid: begun.sid, callSid: sid, customParameters: { First: 'Jane' } },
  })
  expect(await refusal(streams.create({ url: server.url }))).toEqual([400, 31960])
  expect(await refusal(streams.create({ url: 'http://127.0.0.1/' }))).toEqual([400, 31922])
  expect((await streams('agent').update({ status: 'stopped' })).status).toBe('stopped')
  await expect.poll(() => far.messages.at(-1)?.event, POLL).toBe('stop')
  await end(sid)
})

it('members of a room are muted, held, told and taken out, and the room is ended', async () => {
  const first = await inRoom('shared', 'participantLabel="agent 7"')
  const second = await inRoom('shared')
  const shared = await room('shared', 2)
  expect((await shared.participants('agent 7').fetch()).callSid).toBe(first)
  expect((await shared.participants('agent 7').update({ muted: true })).muted).toBe(true)
  const muted = await shared.participants.list({ muted: true })
  expect(muted.map(({ callSid }) => callSid)).toEqual([first])
  expect((await shared.participants(second).update({ hold: true })).hold).toBe(true)
  const coach = { coaching: true, callSidToCoach: second }
  expect(await shared.participants(first).update(coach)).toMatchObject({ callSidToCoach: second })
  expect(
    await refusal(shared.participants(first).update({ callSidToCoach: `CA${'0'.repeat(32)}` })),
  ).toEqual([400, 13240])
  await shared.participants(first).update({ announceUrl: `${app.url}/announce` })
  await app.asked('/announce')
  expect(await shared.participants(first).remove()).toBe(true)
  await room('shared', 1)
  expect((await other.fetchCall(first)).status).toBe('in-progress')
  expect(await refusal(shared.participants(first).fetch())).toEqual([404, 20404])
  expect((await shared.update({ status: 'completed' })).status).toBe('completed')
  expect(await refusal(shared.update({ announceUrl: `${app.url}/announce` }))).toEqual([400, 21220])
  for (const sid of [first, second]) await end(sid)
})

it('a party is called into a room of the other server, by its sid and by its name', async () => {
  const first = await inRoom('open line')
  const line = await room('open line', 1)
  const to = { to: '+15005550003', from: '+15005550000' }
  const bySid = await line.participants.create({ ...to, label: 'by sid' })
  const byName = await client.conferences('open  line').participants.create(to)
  const { sid } = await line.fetch()
  expect([bySid.conferenceSid, byName.conferenceSid]).toEqual([sid, sid])
  await expect
    .poll(async () => (await line.participants.list()).map(({ status }) => status), POLL)
    .toEqual(['connected', 'connected', 'connected'])
  expect(await client.conferences.list({ friendlyName: 'open line' })).toHaveLength(1)
  expect(await refusal(line.participants.create({ ...to, label: 'by sid' }))).toEqual([400, 16025])
  await line.update({ status: 'completed' })
  for (const call of [first, bySid.callSid, byName.callSid]) await end(call)
  await app.completed(first)
})

it('another account finds neither the call nor the room of the other server', async () => {
  const made = await own.adminApi('POST', '/accounts', { friendlyName: 'Stranger' })
  const { accountSid, authToken } = made.body as { accountSid: string; authToken: string }
  const stranger = twilio(accountSid, authToken)
  stranger.api.baseUrl = other.http
  const sid = await inRoom('private')
  const { sid: conference } = await (await room('private', 1)).fetch()
  const url = 'wss://127.0.0.1/x'
  const [call, theirs] = [stranger.calls(sid), stranger.conferences(conference)]
  expect(await refusal(call.recordings.create())).toEqual([404, 20404])
  expect(await refusal(call.streams.create({ url }))).toEqual([404, 20404])
  expect(await refusal(theirs.participants(sid).update({ muted: true }))).toEqual([404, 20404])
  expect(await refusal(theirs.participants(sid).remove())).toEqual([404, 20404])
  expect(await refusal(theirs.update({ status: 'completed' }))).toEqual([404, 20404])
  expect((await (await room('private', 1)).participants(sid).fetch()).muted).toBe(false)
  await end(sid)
})

it('nothing is done while its server is silent, nor afterwards, and the answer says so', async () => {
  const sid = await liveCall()
  own.server.process.kill('SIGSTOP')
  try {
    const answer = await other.api('POST', `/Calls/${sid}/Recordings.json`, {})
    expect([answer.status, answer.body['code']]).toEqual([503, 20503])
    expect(answer.body['message']).toMatch(/does not answer/)
  } finally {
    own.server.process.kill('SIGCONT')
  }
  // The next one is carried out: whatever was left of the first would have been before it.
  const { sid: begun } = await client.calls(sid).recordings.create()
  const all = await client.calls(sid).recordings.list()
  expect(all.map((one) => one.sid)).toEqual([begun])
  await end(sid)
})

it('a call of a server that was killed is not recorded, and the answer says so', async () => {
  const sid = await liveCall()
  own.server.process.kill('SIGKILL')
  const answer = await other.api('POST', `/Calls/${sid}/Recordings.json`, {})
  expect([answer.status, answer.body['code']]).toEqual([503, 20503])
  expect(await client.calls(sid).recordings.list()).toEqual([])
})
