import twilio from 'twilio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

let trunkline: RunningTrunkline
let app: VoiceApp
let client: ReturnType<typeof twilio>

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  client = twilio(trunkline.account.sid, trunkline.account.secret)
  client.api.baseUrl = trunkline.http
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const POLL = { timeout: 15_000, interval: 20 }
/** More than a day: some filters know days only, and midnight may come in between. */
const TWO_DAYS_MS = 2 * 86_400_000

async function talkingCall() {
  const call = await client.calls.create({
    to: '+15005550003',
    from: '+15551112222',
    twiml: '<Response><Pause length="60"/></Response>',
    statusCallback: `${app.url}/status`,
  })
  await expect
    .poll(async () => (await client.calls(call.sid).fetch()).status, POLL)
    .toBe('in-progress')
  return client.calls(call.sid)
}

type Talking = Awaited<ReturnType<typeof talkingCall>>

async function recordOnce(call: Talking) {
  const { sid } = await call.recordings.create({ trim: 'do-not-trim' })
  await call.recordings(sid).update({ status: 'stopped' })
  await expect
    .poll(async () => (await client.recordings(sid).fetch()).status, POLL)
    .toMatch(/^(completed|absent)$/)
  return sid
}

describe("recordings with the convention's own Node client, unmodified", () => {
  it('are started, paused, resumed and stopped by sid and as the current one, and removed', async () => {
    const call = await talkingCall()
    const started = await call.recordings.create({
      recordingChannels: 'dual',
      recordingStatusCallbackEvent: ['in-progress', 'completed'],
      recordingStatusCallback: `${app.url}/recording`,
    })
    expect(started).toMatchObject({
      status: 'in-progress',
      channels: 2,
      source: 'StartCallRecordingAPI',
    })
    const current = call.recordings('Twilio.CURRENT')
    const paused = await current.update({ status: 'paused', pauseBehavior: 'skip' })
    expect(paused).toMatchObject({ sid: started.sid, status: 'paused' })
    const path = `/Calls/${started.callSid}/Recordings/${started.sid}.json`
    const message = "Required parameter 'Status' is missing"
    expect(await trunkline.api('POST', path, { PauseBehavior: 'silence' })).toMatchObject({
      status: 400,
      body: { code: 20422, message },
    })
    expect((await client.recordings(started.sid).fetch()).status).toBe('paused')
    expect((await call.recordings(started.sid).update({ status: 'in-progress' })).status).toBe(
      'in-progress',
    )
    expect((await current.update({ status: 'stopped' })).status).toBe('stopped')
    const fetched = () => client.recordings(started.sid).fetch()
    // Perhaps there was nothing to be heard yet.
    await expect.poll(async () => (await fetched()).status, POLL).toMatch(/^(completed|absent)$/)
    expect((await fetched()).dateCreated).toBeInstanceOf(Date)
    expect(await call.recordings(started.sid).remove()).toBe(true)
    await expect(fetched()).rejects.toMatchObject({ status: 404, code: 20404 })
    await call.update({ status: 'completed' })
  })

  it('are listed of a call and of the account, by every filter', async () => {
    const [first, second] = [await talkingCall(), await talkingCall()]
    const sids = [await recordOnce(first), await recordOnce(first), await recordOnce(second)]
    const { sid: callSid } = await first.fetch()
    const own = { callSid }
    const earlier = new Date(Date.now() - TWO_DAYS_MS)
    const later = new Date(Date.now() + TWO_DAYS_MS)
    const listed = async (filter: Parameters<typeof client.recordings.list>[0]) =>
      (await client.recordings.list(filter)).map(({ sid }) => sid)
    const newestFirst = [...sids].reverse()
    expect(await listed({})).toEqual(newestFirst)
    expect(await listed({ limit: 2, pageSize: 1 })).toEqual(newestFirst.slice(0, 2))
    expect(await listed(own)).toEqual([sids[1], sids[0]])
    expect(await listed({ conferenceSid: `CF${'0'.repeat(32)}` })).toEqual([])
    expect(await listed({ includeSoftDeleted: true })).toEqual(newestFirst)
    expect(await listed({ dateCreatedAfter: earlier, dateCreatedBefore: later })).toEqual(
      newestFirst,
    )
    expect(await listed({ dateCreatedBefore: earlier })).toEqual([])
    expect(await listed({ dateCreatedAfter: later })).toEqual([])
    expect(await listed({ dateCreated: earlier })).toEqual([])
    const ofCall = async (filter: Parameters<typeof first.recordings.list>[0]) =>
      (await first.recordings.list(filter)).map(({ sid }) => sid)
    expect(await ofCall({})).toEqual([sids[1], sids[0]])
    // Of a call's recordings the client sends dates, not times.
    expect(await ofCall({ dateCreatedAfter: earlier, dateCreatedBefore: later })).toEqual([
      sids[1],
      sids[0],
    ])
    expect(await ofCall({ dateCreatedBefore: earlier })).toEqual([])
    const other = second.recordings(sids[0] ?? '')
    await expect(other.fetch()).rejects.toMatchObject({ status: 404, code: 20404 })
    await expect(client.recordings.list({ callSid: 'CA1' })).rejects.toMatchObject({ status: 400 })
    for (const call of [first, second]) await call.update({ status: 'completed' })
  })
})
