import twilio from 'twilio'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  createParties,
  type Parties,
  untilAllHearTheOthers,
  untilHears,
} from '../support/conference-parties.js'
import { expectNothingLeft } from '../support/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice-app.js'
import { waitUntil } from '../support/wait-until.js'

const LIMIT_MS = 30_000
const ALL_EVENTS = 'start end join leave mute hold modify speaker announcement'

let trunkline: RunningTrunkline
let app: VoiceApp
let client: ReturnType<typeof twilio>
let parties: Parties

beforeAll(async () => {
  trunkline = await startTrunkline()
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

    await room.participants(third.sid).update({ coaching: true, callSidToCoach: first.sid })
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
    const numbers = told('/all').map((one) => Number(one['SequenceNumber']))
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
    await expectNothingLeft(trunkline)
  })

  it('refuses what the convention refuses, and knows nothing of other accounts', async () => {
    const one = await parties.join('errors', 700)
    const [found] = await client.conferences.list({ friendlyName: 'errors', status: 'init' })
    const room = client.conferences(found?.sid ?? '')
    const participant = room.participants(one.sid)
    const refused = (work: Promise<unknown>, status: number, code: number) =>
      expect(work).rejects.toMatchObject({ status, code })
    await refused(participant.update({ coaching: true }), 400, 13240)
    await refused(participant.update({ callSidToCoach: `CA${'0'.repeat(32)}` }), 400, 13240)
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
