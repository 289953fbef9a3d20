import twilio from 'twilio'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { channelOf, downloadRecording } from '../support/sound/recorded-wav.js'
import { toneLevel } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import {
  createParties,
  type Parties,
  untilAllHearTheOthers,
  untilHears,
} from '../support/voice/conference-parties.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 30_000
const ALL_EVENTS = 'start end join leave mute hold modify speaker announcement'

let trunkline: RunningTrunkline
let app: VoiceApp
let client: ReturnType<typeof twilio>
let parties: Parties

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
  parties = createParties(trunkline, app)
  app.page('/after', '<Hangup/>')
  app.page('/hold', `<Play>${app.url}/tone.wav</Play>`)
})
afterEach(() => {
  parties.close()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const told = (path: string) =>
  app.sink.requests
    .filter(({ target }) => target === path)
    .map(({ params }) => Object.fromEntries(params))

/** Resolves with the first of these events that was told. */
async function untilTold(path: string, event: string) {
  const find = () => told(path).find((one) => one['StatusCallbackEvent'] === event)
  await waitUntil(
    event,
    () => find() !== undefined,
    LIMIT_MS,
    () => told(path).map((one) => one['StatusCallbackEvent']),
  )
  return find()
}

async function liveConference(friendlyName: string) {
  const [found] = await client.conferences.list({ friendlyName, status: 'in-progress' })
  if (found === undefined) throw new Error(`no conference ${friendlyName} is in progress`)
  return found
}

describe("conferences through the convention's own client", () => {
  it('mutes, holds, coaches and removes, tells each of it, and ends', async () => {
    const callback = `statusCallback="${app.url}/all" statusCallbackEvent="${ALL_EVENTS}"`
    const label = 'participantLabel="agent 7"'
    const first = await parties.join('the room', 700, `${callback} ${label}`)
    const second = await parties.join('the room', 1_100)
    const third = await parties.join('the room', 1_500)
    const all = [first, second, third]
    await untilAllHearTheOthers(all)
    const { sid, friendlyName, dateCreated } = await liveConference('the room')
    expect(friendlyName).toBe('the room')
    expect(dateCreated).toBeInstanceOf(Date)
    const room = client.conferences(sid)
    const listed = await room.participants.list()
    expect(listed.map(({ callSid }) => callSid)).toEqual([third.sid, second.sid, first.sid])
    expect(await room.participants('agent 7').fetch()).toMatchObject({
      ...{ callSid: first.sid, conferenceSid: sid, label: 'agent 7', status: 'connected' },
      ...{ muted: false, hold: false, coaching: false, endConferenceOnExit: false },
    })

    expect(await room.participants(first.sid).update({ muted: true })).toMatchObject({
      muted: true,
    })
    await untilHears(second, all, [third])
    expect(await room.participants.list({ muted: true })).toHaveLength(1)
    await room.participants(first.sid).update({ muted: false })
    await untilHears(second, all, [first, third])

    await room.participants(second.sid).update({ hold: true, holdUrl: `${app.url}/hold` })
    await waitUntil('it hears its music', () => second.peer.rtp.hears(440), LIMIT_MS)
    await untilHears(first, all, [third])
    expect(await room.participants.list({ hold: true })).toHaveLength(1)
    await room.participants(second.sid).update({ hold: false })
    await untilAllHearTheOthers(all)

    // The hex digits of a sid may be capital letters.
    const callSidToCoach = `CA${first.sid.slice(2).toUpperCase()}`
    const coaching = await room.participants(third.sid).update({ coaching: true, callSidToCoach })
    expect(coaching.callSidToCoach).toBe(first.sid)
    await untilHears(second, all, [first])
    await untilHears(first, all, [second, third])
    expect(await room.participants.list({ coaching: true })).toHaveLength(1)
    await room.participants(third.sid).update({ coaching: false })
    await untilAllHearTheOthers(all)

    await room.participants(third.sid).remove()
    await untilHears(first, all, [second])
    await app.completed(third.sid)
    await expect(room.participants(third.sid).fetch()).rejects.toMatchObject({ status: 404 })

    expect(await room.update({ status: 'completed' })).toMatchObject({
      status: 'completed',
      reasonConferenceEnded: 'conference-ended-via-api',
      callSidEndingConference: null,
    })
    expect(await room.fetch()).toMatchObject({ status: 'completed', friendlyName: 'the room' })
    expect(await room.participants.list()).toEqual([])
    expect(await untilTold('/all', 'conference-end')).toMatchObject({
      ReasonConferenceEnded: 'conference-ended-via-api',
    })
    const quiet = told('/all').filter((one) => !one['StatusCallbackEvent']?.includes('speech'))
    expect(quiet.map((one) => one['StatusCallbackEvent']?.replace('participant-', ''))).toEqual([
      ...['join', 'join', 'conference-start', 'join', 'mute', 'unmute', 'hold', 'unhold'],
      ...['modify', 'modify', 'leave', 'leave', 'leave', 'conference-end'],
    ])
    for (const { sid: callSid } of all) {
      const spoken = told('/all').flatMap(({ CallSid, StatusCallbackEvent: event = '' }) =>
        CallSid === callSid && event.includes('speech') ? [event] : [],
      )
      expect(spoken[0]).toBe('participant-speech-start')
      // Who is muted or on hold ceases to speak, and begins again.
      expect(spoken).toEqual(
        spoken.map((_, i) => `participant-speech-${i % 2 === 0 ? 'start' : 'stop'}`),
      )
    }
    const numbers = told('/all').map((one) => Number(one['SequenceNumber']))
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
    await expectNothingLeft(trunkline)
  })

  it('calls somebody into a room that it makes, and others into that one', async () => {
    const [agent, caller] = [await parties.phone(700), await parties.phone(1_100)]
    const from = '+15551112222'
    const room = client.conferences('the <new> room').participants
    const made = await room.create({
      ...{ from, to: agent.uri, label: 'agent', startConferenceOnEnter: true, beep: 'false' },
      ...{ statusCallback: `${app.url}/status`, earlyMedia: true },
      conferenceStatusCallback: `${app.url}/created`,
      conferenceStatusCallbackEvent: ['start', 'end', 'join', 'leave'],
    })
    expect(made).toMatchObject({ status: 'queued', label: 'agent', muted: false })
    const conference = client.conferences(made.conferenceSid)
    expect(await conference.fetch()).toMatchObject({ friendlyName: 'the <new> room' })
    await agent.answered
    const other = { ...{ from, to: caller.uri, beep: 'false' }, endConferenceOnExit: true }
    await expect(
      conference.participants.create({ ...other, label: 'agent' }),
    ).rejects.toMatchObject({ status: 400, code: 16025 })
    const second = await conference.participants.create(other)
    expect(second.conferenceSid).toBe(made.conferenceSid)
    const call = await caller.answered
    await untilAllHearTheOthers([agent, caller])
    expect(await conference.participants('agent').fetch()).toMatchObject({ status: 'connected' })
    call.bye()
    expect(await untilTold('/created', 'conference-end')).toMatchObject({
      CallSidEndingConference: second.callSid,
      SequenceNumber: '6',
    })
    await app.completed(made.callSid)
    await expectNothingLeft(trunkline)
  })

  it('tells why each one left, how its call stands, and who could not be reached', async () => {
    const callback = `statusCallback="${app.url}/left" statusCallbackEvent="leave end announcement"`
    const chair = 'participantLabel="chair" endConferenceOnExit="true"'
    const first = await parties.join('leaving', 700, `${callback} ${chair}`)
    const second = await parties.join('leaving', 1_100, 'participantLabel="second"')
    const third = await parties.join('leaving', 1_500)
    const fourth = await parties.join('leaving', 1_900)
    const fifth = await parties.join('leaving', 2_300)
    const all = [first, second, third, fourth, fifth]
    await untilAllHearTheOthers(all)
    const { sid } = await liveConference('leaving')
    const room = client.conferences(sid)
    const left = () =>
      told('/left').filter((one) => one['StatusCallbackEvent'] === 'participant-leave')
    const untilLeft = (callSid: string) =>
      expect
        .poll(() => left().some(({ CallSid }) => CallSid === callSid), { timeout: LIMIT_MS })
        .toBe(true)

    await room.participants(second.sid).update({ announceUrl: `${app.url}/nothing` })
    expect(await untilTold('/left', 'announcement-end')).toMatchObject({
      ...{ CallSid: second.sid, ParticipantLabel: 'second', Muted: 'false', Hold: 'false' },
      ...{ Coaching: 'false', StartConferenceOnEnter: 'true', EndConferenceOnExit: 'false' },
    })

    const missed = await room.participants.create({
      ...{ from: '+15551112222', to: '+15005550005', label: 'missed' },
    })
    await untilLeft(missed.callSid)
    await room.participants(third.sid).remove()
    await untilLeft(third.sid)
    await client.calls(fourth.sid).update({ twiml: '<Response><Pause length="60"/></Response>' })
    await untilLeft(fourth.sid)
    await client.calls(fourth.sid).update({ status: 'completed' })
    fifth.call.bye()
    await untilLeft(fifth.sid)
    first.call.bye()
    expect(await untilTold('/left', 'conference-end')).toMatchObject({
      ...{ CallSidEndingConference: first.sid, ParticipantLabelEndingConference: 'chair' },
      ReasonConferenceEnded: 'participant-with-end-conference-on-exit-left',
    })
    expect(
      left().map((one) => [
        ...[one['CallSid'], one['ReasonParticipantLeft'], one['ParticipantCallStatus']],
      ]),
    ).toEqual([
      [missed.callSid, 'participant_add_failed', 'busy'],
      [third.sid, 'participant_updated_via_api', 'in-progress'],
      [fourth.sid, 'participant_updated_via_api', 'in-progress'],
      [fifth.sid, 'participant_hung_up', 'completed'],
      [first.sid, 'participant_hung_up', 'completed'],
      [second.sid, 'moderator_ended_conference', 'in-progress'],
    ])
    expect(left()[0]).toMatchObject({ ParticipantLabel: 'missed', ConferenceSid: sid })
    await expectNothingLeft(trunkline)
  })

  it('is over without a word when nobody can be called into it', async () => {
    const silent = await parties.phone(700)
    const room = client.conferences('nobody').participants
    const wanted = { from: '+15551112222', to: silent.uri.replace(/\d+$/, '9') }
    const made = await room.create({ ...wanted, label: 'gone' })
    const state = async () => (await client.conferences(made.conferenceSid).fetch()).status
    await expect.poll(state, { timeout: LIMIT_MS }).toBe('completed')
    await expect(room.create({ ...wanted, to: 'nonsense' })).rejects.toMatchObject({ code: 21211 })
    expect(await client.conferences.list({ friendlyName: 'nobody' })).toHaveLength(1)
    await expectNothingLeft(trunkline)
  })

  it('records what all say, from the start to the last one', async () => {
    const callback = `recordingStatusCallback="${app.url}/recorded"`
    const record = `record="record-from-start" trim="do-not-trim" ${callback}`
    const first = await parties.join('recorded', 700, record)
    const second = await parties.join('recorded', 1_100, record)
    await untilAllHearTheOthers([first, second])
    const { sid } = await liveConference('recorded')
    const { recordings } = client.conferences(sid)
    const listed = async () => (await recordings.list())[0]
    await expect
      .poll(listed)
      .toMatchObject({ source: 'Conference', status: 'in-progress', channels: 1 })
    const running = await listed()
    const recording = recordings(running?.sid ?? '')
    expect(await recording.update({ status: 'paused' })).toMatchObject({ status: 'paused' })
    expect(await recording.update({ status: 'in-progress' })).toMatchObject({ conferenceSid: sid })
    // Who brought the wish may go.
    first.call.bye()
    await untilHears(second, [first, second], [])
    expect(await recording.fetch()).toMatchObject({ status: 'in-progress' })
    second.call.bye()
    expect(await app.asked('/recorded')).toMatchObject({
      ...{ ConferenceSid: sid, RecordingSid: running?.sid, RecordingStatus: 'completed' },
      RecordingSource: 'Conference',
    })
    const { bytes } = await downloadRecording(trunkline, `${running?.sid ?? ''}.wav`)
    const wav = channelOf(bytes, 0)
    for (const { tone } of [first, second]) expect(toneLevel(wav, tone)).toBeGreaterThan(200)
    expect(await recordings.list()).toHaveLength(1)
    expect(await client.recordings.list({ conferenceSid: sid })).toHaveLength(1)
    await recording.remove()
    await expect(recording.fetch()).rejects.toMatchObject({ status: 404 })
    await expectNothingLeft(trunkline)
  })

  it('goes on for one whose own recording begins in it, and lets that one be removed', async () => {
    const first = await parties.join('recorded alone', 700)
    const second = await parties.join('recorded alone', 1_100)
    await untilAllHearTheOthers([first, second])
    const { sid } = await client.calls(first.sid).recordings.create()
    // Another tone than before, so that it is heard now.
    second.peer.rtp.speak(1_700)
    const later = { ...second, tone: 1_700 }
    await untilAllHearTheOthers([first, later])
    const conference = await liveConference('recorded alone')
    await client.conferences(conference.sid).participants(first.sid).remove()
    await app.asked('/after', first.sid)
    await app.completed(first.sid)
    second.call.bye()
    await app.completed(second.sid)
    const { bytes } = await downloadRecording(trunkline, `${sid}.wav`)
    for (const tone of [700, 1_700])
      expect(toneLevel(channelOf(bytes, 0), tone)).toBeGreaterThan(200)
    expect(trunkline.server.log()).not.toContain('no event came for a leg that left its room')
    await expectNothingLeft(trunkline)
  })

  it('announces to all, or to one who is on hold, and tells of it in order', async () => {
    const callback = `statusCallback="${app.url}/said" statusCallbackEvent="announcement"`
    const first = await parties.join('announced', 700, callback)
    const second = await parties.join('announced', 1_100)
    const all = [first, second]
    await untilAllHearTheOthers(all)
    app.page('/announce', `<Play>${app.url}/tone.wav</Play>`)
    app.page('/not-in-here', '<Dial>+15551112223</Dial>')
    const { sid } = await liveConference('announced')
    const room = client.conferences(sid)
    const hearsIt = (party: typeof first) =>
      waitUntil('it hears the announcement', () => party.peer.rtp.hears(440), LIMIT_MS)
    const untilCount = (count: number) =>
      expect.poll(() => told('/said').length, { timeout: LIMIT_MS }).toBe(count)

    await room.update({ announceUrl: `${app.url}/announce` })
    await Promise.all(all.map(hearsIt))
    await untilCount(2)
    await untilAllHearTheOthers(all)

    await room.participants(second.sid).update({ hold: true, holdUrl: '' })
    await untilHears(second, all, [])
    const announced = { announceUrl: `${app.url}/announce`, announceMethod: 'GET' }
    await room.participants(second.sid).update(announced)
    await hearsIt(second)
    expect(first.peer.rtp.hears(440)).toBe(false)
    await untilCount(4)
    await room.participants(second.sid).update({ hold: false })
    await untilAllHearTheOthers(all)

    await room.update({ announceUrl: `${app.url}/not-in-here` })
    await untilCount(5)
    const said = (name: string) => told('/said').map((one) => one[name])
    const steps = ['announcement-begin', 'announcement-end']
    expect(said('StatusCallbackEvent')).toEqual([...steps, ...steps, 'announcement-fail'])
    expect(said('CallSid')).toEqual([undefined, undefined, second.sid, second.sid, undefined])
    expect(said('AnnounceUrl').at(4)).toBe(`${app.url}/not-in-here`)
    expect(said('ReasonAnnouncementFailed').at(4)).toMatch(/\S/)
    const numbers = said('SequenceNumber').map(Number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    await expect(room.update({ announceUrl: 'ftp://x' })).rejects.toMatchObject({ code: 21402 })

    await room.update({ status: 'completed' })
    const late = room.update({ announceUrl: `${app.url}/announce` })
    await expect(late).rejects.toMatchObject({ status: 400, code: 21220 })
    await expectNothingLeft(trunkline)
  })

  it('announces to who waits, and ends it when nobody is left to hear it', async () => {
    const callback = `statusCallback="${app.url}/brief" statusCallbackEvent="announcement"`
    const waiting = `waitUrl="" ${callback}`
    const first = await parties.join('waiting', 700, waiting)
    const listed = () => client.conferences.list({ friendlyName: 'waiting', status: 'init' })
    await expect.poll(async () => (await listed()).length, { timeout: LIMIT_MS }).toBe(1)
    const [found] = await listed()
    const room = client.conferences(found?.sid ?? '')
    app.page('/long', `<Play loop="50">${app.url}/tone.wav</Play>`)
    const announced = { announceUrl: `${app.url}/long` }
    await room.update(announced)
    await waitUntil('it hears the announcement', () => first.peer.rtp.hears(440), LIMIT_MS)
    first.call.bye()
    await app.completed(first.sid)
    await expectNothingLeft(trunkline)

    const others = [await parties.join('left', 700, callback), await parties.join('left', 1_100)]
    await untilAllHearTheOthers(others)
    const { sid } = await liveConference('left')
    const [, second] = others
    await client
      .conferences(sid)
      .participants(second?.sid ?? '')
      .update(announced)
    await waitUntil('it hears it', () => second?.peer.rtp.hears(440) === true, LIMIT_MS)
    second?.call.bye()
    const ofThisOne = () =>
      told('/brief')
        .filter(({ ConferenceSid }) => ConferenceSid === sid)
        .map((one) => one['StatusCallbackEvent'])
    await expect
      .poll(ofThisOne, { timeout: LIMIT_MS })
      .toEqual(['announcement-begin', 'announcement-fail'])
    await client.conferences(sid).update(announced)
    await waitUntil('who is left hears it', () => others[0]?.peer.rtp.hears(440) === true, LIMIT_MS)
    await client.conferences(sid).update({ status: 'completed' })
    await app.completed(others[0]?.sid ?? '')
    await expectNothingLeft(trunkline)
  })

  it('refuses what the convention refuses, and knows nothing of other accounts', async () => {
    const one = await parties.join('errors', 700)
    const listed = () => client.conferences.list({ friendlyName: 'errors', status: 'init' })
    await expect.poll(async () => (await listed()).length, { timeout: LIMIT_MS }).toBe(1)
    const [found] = await listed()
    const room = client.conferences(found?.sid ?? '')
    const participant = room.participants(one.sid)
    const refused = (work: Promise<unknown>, status: number, code: number) =>
      expect(work).rejects.toMatchObject({ status, code })
    await refused(participant.update({ coaching: true }), 400, 13240)
    await refused(participant.update({ callSidToCoach: `CA${'0'.repeat(32)}` }), 400, 13240)
    const coaching = { callSidToCoach: `CA${'0'.repeat(32)}`, coaching: true }
    const invited = { from: '+15005550001', to: '+15005550002', ...coaching }
    await refused(room.participants.create(invited), 400, 13240)
    await refused(client.conferences('a new one').participants.create(invited), 400, 13240)
    expect(await client.conferences.list({ friendlyName: 'a new one' })).toEqual([])
    await refused(participant.update({ hold: true, holdUrl: 'ftp://x' }), 400, 21402)
    await refused(room.participants('nobody').fetch(), 404, 20404)
    await refused(room.participants('nobody').remove(), 404, 20404)
    await refused(client.conferences(`CF${'0'.repeat(32)}`).fetch(), 404, 20404)
    const created = await trunkline.adminApi('POST', '/accounts', { friendlyName: 'other' })
    expect(created).toMatchObject({ status: 201 })
    const stranger = twilio(String(created.body['accountSid']), String(created.body['authToken']))
    stranger.api.baseUrl = trunkline.http
    await refused(stranger.conferences(found?.sid ?? '').fetch(), 404, 20404)
    await refused(stranger.conferences(found?.sid ?? '').participants.list(), 404, 20404)
    await refused(
      stranger.conferences(found?.sid ?? '').update({ status: 'completed' }),
      404,
      20404,
    )
    expect(await stranger.conferences.list()).toEqual([])
    one.call.bye()
    await expectNothingLeft(trunkline)
  })
})
