import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { waitUntil } from '../support/time/wait-until.js'
import {
  createParties,
  type Parties,
  untilAllHearTheOthers,
  untilHears,
} from '../support/voice/conference-parties.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 30_000

let trunkline: RunningTrunkline
let app: VoiceApp
let parties: Parties

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  parties = createParties(trunkline, app)
  app.page('/after', '<Hangup/>')
  app.page('/wait', `<Play>${app.url}/tone.wav</Play>`)
})
afterEach(() => {
  parties.close()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const news = (path: string) =>
  app.sink.requests
    .filter(({ target }) => target === path)
    .map(({ params }) => Object.fromEntries(params))

describe('a conference', () => {
  it('keeps who waits for somebody waiting, and tells in order what happens', async () => {
    const wait = `waitUrl="${app.url}/wait" startConferenceOnEnter="false"`
    const callback = `statusCallback="${app.url}/news" statusCallbackEvent="start end join leave"`
    const first = await parties.join('board room', 700, `${wait} ${callback}`)
    const second = await parties.join('board room', 1_100, wait)
    for (const { peer } of [first, second])
      await waitUntil('the wait markup is heard', () => peer.rtp.hears(440), LIMIT_MS)
    const third = await parties.join('board room', 1_500, 'endConferenceOnExit="true"')
    await untilAllHearTheOthers([first, second, third])
    third.call.bye()
    // The others are let go, and their action ends them.
    expect(await app.asked('/after', first.sid)).toMatchObject({ DialCallStatus: 'answered' })
    expect(await app.asked('/after', second.sid)).toMatchObject({ DialCallStatus: 'answered' })
    await waitUntil(
      'the end is told',
      () => news('/news').length === 8,
      LIMIT_MS,
      () => news('/news'),
    )
    const told = news('/news').map((one) => one['StatusCallbackEvent'])
    expect(told).toEqual([
      ...['participant-join', 'participant-join', 'participant-join', 'conference-start'],
      ...['participant-leave', 'participant-leave', 'participant-leave', 'conference-end'],
    ])
    expect(news('/news').map((one) => one['SequenceNumber'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
    ])
    expect(news('/news').at(-1)).toMatchObject({
      FriendlyName: 'board room',
      ReasonConferenceEnded: 'participant-with-end-conference-on-exit-left',
      CallSidEndingConference: third.sid,
    })
    await expectNothingLeft(trunkline)
  })

  it('lets a coach be heard by one alone, and nobody hear who is muted', async () => {
    const agent = await parties.join('help', 700)
    const caller = await parties.join('help', 1_100)
    const coach = await parties.join('help', 1_500, `coach="${agent.sid}"`)
    const listener = await parties.join('help', 1_900, 'muted="true"')
    const all = [agent, caller, coach, listener]
    await untilHears(agent, all, [caller, coach])
    await untilHears(caller, all, [agent])
    await untilHears(coach, all, [agent, caller])
    await untilHears(listener, all, [agent, caller])
    for (const { call } of all) call.bye()
    await expectNothingLeft(trunkline)
  })

  it('lets one go whom another document takes', async () => {
    const all = [
      await parties.join('doors', 700),
      await parties.join('doors', 1_100),
      await parties.join('doors', 1_500),
    ]
    const [first, second, third] = all
    if (!first || !second || !third) throw new Error('three were called')
    await untilAllHearTheOthers(all)
    await trunkline.api('POST', `/Calls/${first.sid}.json`, {
      Markup: `<Response><Play>${app.url}/tone.wav</Play></Response>`,
    })
    await waitUntil('it hears the document', () => first.peer.rtp.hears(440), LIMIT_MS)
    await untilHears(second, all, [third])
    for (const { call } of [second, third]) call.bye()
    await app.completed(first.sid)
    await expectNothingLeft(trunkline)
  })

  it('lets twenty hear all others and not themselves', async () => {
    // Uneven steps: no tone is another one's harmonic, nor the difference of two.
    const tones = Array.from({ length: 20 }, (_, i) => 310 + 137 * i + ((7 * i * i) % 41))
    const all = await Promise.all(tones.map((tone) => parties.call('twenty', tone)))
    await untilAllHearTheOthers(all)
    const [first, ...rest] = all
    if (first === undefined) throw new Error('twenty were called')
    first.call.bye()
    for (const one of rest)
      await untilHears(
        one,
        all,
        rest.filter((other) => other !== one),
      )
    for (const { call } of rest) call.bye()
    await expectNothingLeft(trunkline)
  })

  it('lets one go when the timeLimit of its Dial is over, and the others stay', async () => {
    const staying = await parties.join('short visit', 700)
    const { uri, answered, peer } = await parties.phone(1_100)
    const noun = '<Conference beep="false">short visit</Conference>'
    const { sid } = await trunkline.createCall({
      To: uri,
      From: '+15551112222',
      Markup: `<Response><Dial timeLimit="2" action="${app.url}/after">${noun}</Dial></Response>`,
      StatusCallback: `${app.url}/status`,
    })
    await answered
    await waitUntil('the other one is heard', () => peer.rtp.hears(700), LIMIT_MS)
    expect(await app.asked('/after', sid)).toMatchObject({
      CallStatus: 'in-progress',
      DialCallStatus: 'answered',
    })
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    expect((await trunkline.fetchCall(staying.sid)).status).toBe('in-progress')
    staying.call.bye()
    await expectNothingLeft(trunkline)
  })

  it('refuses who is one too many', async () => {
    const two = [
      await parties.join('pair', 700, 'maxParticipants="2"'),
      await parties.join('pair', 1_100, 'maxParticipants="2"'),
    ]
    await untilAllHearTheOthers(two)
    const third = await parties.call('pair', 1_500, 'maxParticipants="2"')
    expect(await app.asked('/after', third.sid)).toMatchObject({ DialCallStatus: 'failed' })
    const { body } = await trunkline.api('GET', `/Calls/${third.sid}/Events.json`)
    expect(JSON.stringify(body)).toContain('16020')
    for (const { call } of two) call.bye()
    await expectNothingLeft(trunkline)
  })

  it('refuses a coach of somebody who is not there', async () => {
    const nobody = `coach="CA${'0'.repeat(32)}"`
    const alone = await parties.call('empty', 700, nobody)
    expect(await app.asked('/after', alone.sid)).toMatchObject({ DialCallStatus: 'failed' })
    const { body } = await trunkline.api('GET', `/Calls/${alone.sid}/Events.json`)
    expect(JSON.stringify(body)).toContain('13240')
    const agent = await parties.join('desk', 1_100)
    const wrong = await parties.call('desk', 1_500, nobody)
    expect(await app.asked('/after', wrong.sid)).toMatchObject({ DialCallStatus: 'failed' })
    agent.call.bye()
    await expectNothingLeft(trunkline)
  })
})
