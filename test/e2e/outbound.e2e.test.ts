import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RtpPeer } from '../support/media/rtp-peer.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline, WireCall } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startSipp } from '../support/sip/sipp.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Calls a SIPp that listens there, with every status callback. */
function call(
  port: number,
  form: Readonly<Record<string, string>> = {},
  transport = 'udp',
): Promise<WireCall> {
  return trunkline.createCall({
    To: `sip:callee@127.0.0.1:${port};transport=${transport}`,
    From: '+15551112222',
    Markup: '<Response><Say>Hello.</Say><Pause length="40"/></Response>',
    StatusCallback: `${app.url}/status`,
    StatusCallbackEvent: 'initiated ringing answered completed',
    ...form,
  })
}

async function statuses(sid: string): Promise<(string | undefined)[]> {
  const callbacks = await app.completed(sid)
  expect(callbacks.map((params) => params['SequenceNumber'])).toEqual(
    callbacks.map((_, index) => String(index)),
  )
  return callbacks.map((params) => params['CallStatus'])
}

describe('a call that SIPp refuses', () => {
  it.each([
    [486, 'busy'],
    [480, 'no-answer'],
    [487, 'no-answer'],
    [408, 'no-answer'],
    [503, 'failed'],
    [603, 'no-answer'],
  ])('with %i ends as %s', async (code, status) => {
    await using callee = await startSipp({ scenario: `uas-refuses-${code}` })
    const { sid } = await call(callee.port)
    expect(await statuses(sid)).toEqual(['initiated', 'ringing', status])
    await callee.done
    expect((await app.completed(sid)).at(-1)).toMatchObject({
      SipResponseCode: String(code),
      CallDuration: '0',
    })
    expect(await trunkline.fetchCall(sid)).toMatchObject({ status, duration: '0' })
    await expectNothingLeft(trunkline)
  })
})

describe('a call that nobody answers', () => {
  it('is canceled when its Timeout runs out, and ends as no-answer', async () => {
    await using callee = await startSipp({ scenario: 'uas-rings-until-canceled' })
    const { sid } = await call(callee.port, { Timeout: '2' })
    expect(await statuses(sid)).toEqual(['initiated', 'ringing', 'no-answer'])
    await callee.done
    await expectNothingLeft(trunkline)
  })

  it('fails when nobody is there at all', async () => {
    const { sid } = await call(9)
    expect((await statuses(sid)).at(-1)).toBe('failed')
    await expectNothingLeft(trunkline)
  })
})

describe('a call that the API cancels', () => {
  it.each([
    ['after 100', 'uas-tries-until-canceled', 'initiated', ['initiated', 'canceled']],
    ['while it rings', 'uas-rings-until-canceled', 'ringing', ['initiated', 'ringing', 'canceled']],
    [
      'as its 200 is on the way',
      'uas-answers-the-cancel-with-200',
      'ringing',
      ['initiated', 'ringing', 'canceled'],
    ],
  ])('%s ends as canceled', async (_title, scenario, waitFor, expected) => {
    await using callee = await startSipp({ scenario })
    const { sid } = await call(callee.port)
    await expect
      .poll(() => app.callbacks(sid).map((params) => params['CallStatus']), { timeout: 20_000 })
      .toContain(waitFor)
    await expect
      .poll(() => callee.messages(), { timeout: 20_000 })
      .toContain(waitFor === 'ringing' ? 'SIP/2.0 180' : 'SIP/2.0 100')
    expect((await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'canceled' })).status).toBe(
      200,
    )
    expect(await statuses(sid)).toEqual(expected)
    await callee.done
    await expectNothingLeft(trunkline)
  })

  it('before a word came back ends as canceled', async () => {
    await using callee = await startSipp({ scenario: 'uas-says-nothing' })
    const { sid } = await call(callee.port)
    expect(
      (await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })).status,
    ).toBe(200)
    expect((await statuses(sid)).at(-1)).toBe('canceled')
    await expectNothingLeft(trunkline)
  })
})

describe.each(['udp', 'tcp'] as const)('a call that SIPp answers over %s [F53]', (transport) => {
  it('and hangs up is completed once', async () => {
    await using callee = await startSipp({ scenario: 'uas-answers-and-hangs-up', transport })
    const { sid } = await call(callee.port, {}, transport)
    expect(await statuses(sid)).toEqual(['initiated', 'ringing', 'in-progress', 'completed'])
    await callee.done
    const last = (await app.completed(sid)).at(-1)
    expect(Number(last?.['CallDuration'])).toBeGreaterThanOrEqual(2)
    expect(last).toMatchObject({
      Duration: '1',
      SipResponseCode: '200',
    })
    await expectNothingLeft(trunkline)
  })

  it('and the API ends is completed once', async () => {
    await using callee = await startSipp({ scenario: 'uas-answers-and-waits', transport })
    const { sid } = await call(callee.port, {}, transport)
    await expect
      .poll(async () => (await trunkline.fetchCall(sid)).status, { timeout: 20_000 })
      .toBe('in-progress')
    await trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    expect((await statuses(sid)).at(-1)).toBe('completed')
    await callee.done
    await expectNothingLeft(trunkline)
  })
})

describe('a call in progress', () => {
  it('survives crossing BYEs with one completed', async () => {
    using callee = await SipPeer.open()
    const invited = callee.nextCall()
    const { sid } = await call(callee.port)
    const leg = await invited
    leg.isPolite = false
    await leg.answer()
    await expect
      .poll(async () => (await trunkline.fetchCall(sid)).status, { timeout: 20_000 })
      .toBe('in-progress')
    // It is answered once the end is stored, which is after the answer to our BYE.
    const ended = trunkline.api('POST', `/Calls/${sid}.json`, { Status: 'completed' })
    const theirs = await leg.request('BYE')
    // In one turn, so that the answer to its BYE cannot come first. SIPp reads between two messages.
    leg.bye()
    leg.respond(200, 'OK', { to: theirs })
    expect(await ended).toMatchObject({ status: 200, body: { status: 'completed' } })
    expect((await statuses(sid)).at(-1)).toBe('completed')
    const answers = () => [...leg.responses(200, 'BYE'), ...leg.responses(481, 'BYE')]
    await waitUntil('its BYE is answered', () => answers().length === 1)
    await expectNothingLeft(trunkline)
  })

  it('is held and taken back by the callee', async () => {
    await using callee = await startSipp({ scenario: 'uas-holds' })
    const { sid } = await call(callee.port)
    expect((await statuses(sid)).at(-1)).toBe('completed')
    await callee.done
    await expectNothingLeft(trunkline)
  })

  it('is heard by the callee after early media', async () => {
    await using ear = await RtpPeer.open()
    await using callee = await startSipp({
      scenario: 'uas-early-media',
      rtpPort: ear.port,
      extra: ['-d', '300'],
    })
    const { sid } = await call(callee.port, {
      Markup: `<Response><Play>${app.url}/tone.wav</Play></Response>`,
    })
    await ear.waitForTone(440)
    expect((await statuses(sid)).at(-1)).toBe('completed')
    await callee.done
    await expectNothingLeft(trunkline)
  })

  it('changes its markup at once when told to', async () => {
    await using ear = await RtpPeer.open()
    await using callee = await startSipp({ scenario: 'uas-answers-and-waits', rtpPort: ear.port })
    const { sid } = await call(callee.port)
    await expect
      .poll(async () => (await trunkline.fetchCall(sid)).status, { timeout: 20_000 })
      .toBe('in-progress')
    const answer = await trunkline.api('POST', `/Calls/${sid}.json`, {
      Markup: `<Response><Play>${app.url}/tone.wav</Play></Response>`,
    })
    expect(answer.status).toBe(200)
    await ear.waitForTone(440)
    expect((await statuses(sid)).at(-1)).toBe('completed')
    await callee.done
    const late = await trunkline.api('POST', `/Calls/${sid}.json`, { Markup: '<Response/>' })
    expect(late).toMatchObject({ status: 400, body: { code: 21220 } })
  })

  it('plays SendDigits to the callee', async () => {
    await using ear = await RtpPeer.open()
    await using callee = await startSipp({ scenario: 'uas-answers-and-waits', rtpPort: ear.port })
    const { sid } = await call(callee.port, {
      SendDigits: 'w12#',
      Markup: '<Response><Pause length="1"/></Response>',
    })
    expect((await statuses(sid)).at(-1)).toBe('completed')
    await ear.waitForDigits('12#')
    await callee.done
  })
})
