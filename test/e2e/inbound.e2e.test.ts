import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RtpPeer } from '../support/media/rtp-peer.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { sipp, startSipp } from '../support/sip/sipp.js'
import { rms } from '../support/sound/tone.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const NUMBER = '+15551112222'
const SERVICE = '15551112222'

let trunkline: RunningTrunkline
let app: VoiceApp
let target: string

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  target = `127.0.0.1:${trunkline.sipPort}`
  await trunkline.assignNumber(NUMBER, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Sid of the newest call to the voice page. */
const callSid = () =>
  new Map(app.sink.requests.filter((r) => r.target === '/voice').at(-1)?.params).get('CallSid') ??
  ''

describe.each(['udp', 'tcp'] as const)('SIPp calls an owned number over %s [F53]', (transport) => {
  it.each(['PCMU', 'PCMA'] as const)('and hears the prompt in %s', async (codec) => {
    await using ear: RtpPeer = await RtpPeer.open({ codec })
    app.page('/voice', `<Play>${app.url}/tone.wav</Play>`)
    const scenario = codec === 'PCMU' ? 'uac-waits-for-bye' : 'uac-waits-for-bye-pcma'
    await using caller = await startSipp({
      scenario,
      target,
      transport,
      service: SERVICE,
      rtpPort: ear.port,
    })
    await ear.waitForTone(440)
    await caller.done
    const callbacks = await app.completed(callSid())
    expect(callbacks).toHaveLength(1)
    // Three seconds of prompt; a busy machine needs longer to part.
    expect(Number(callbacks[0]?.['CallDuration'])).toBeGreaterThanOrEqual(3)
    expect(callbacks[0]).toMatchObject({
      CallStatus: 'completed',
      To: NUMBER,
      From: '+15553334444',
      Direction: 'inbound',
      SequenceNumber: '0',
    })
    await expectNothingLeft(trunkline)
  })

  it.each([
    '96',
    '101',
  ])('and its digits at payload type %s reach the action URL', async (payloadType) => {
    app.page(
      '/voice',
      '<Gather numDigits="2" action="/digits" timeout="8"><Say>Please press two, then four.</Say></Gather>',
    )
    app.page('/digits', '<Hangup/>')
    const before = app.sink.requests.length
    await sipp({ scenario: `uac-presses-${payloadType}`, target, transport, service: SERVICE })
    const asked = app.sink.requests.slice(before).find((request) => request.target === '/digits')
    expect(new Map(asked?.params).get('Digits')).toBe('24')
    expect(await app.completed(callSid())).toHaveLength(1)
    await expectNothingLeft(trunkline)
  })

  it('and hangs up: one completed, with the right duration', async () => {
    app.page('/voice', '<Pause length="1"/><Say>Hello.</Say><Pause length="30"/>')
    const begunAt = performance.now()
    await sipp({ scenario: 'uac-hangs-up', target, transport, service: SERVICE })
    const wholeMs = performance.now() - begunAt
    const callbacks = await app.completed(callSid())
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
    // SIPp talks for two seconds; a busy machine carries its ACK and BYE late.
    const seconds = Number(callbacks[0]?.['CallDuration'])
    expect(seconds).toBeGreaterThanOrEqual(2)
    expect(seconds).toBeLessThanOrEqual(Math.ceil(wholeMs / 1_000))
    await expectNothingLeft(trunkline)
  })
})

describe('SIPp as a caller [F53]', () => {
  it.each([
    'udp',
    'tcp',
  ] as const)('asks over %s what we can do, without a call', async (transport) => {
    const asked = app.sink.requests.length
    await sipp({ scenario: 'uac-keeps-alive', target, transport, service: SERVICE, calls: 20 })
    expect(app.sink.requests).toHaveLength(asked)
    await expectNothingLeft(trunkline)
  })

  it('hears speech', async () => {
    await using ear: RtpPeer = await RtpPeer.open()
    app.page('/voice', '<Say>This sentence is spoken by a machine.</Say>')
    await sipp({ scenario: 'uac-waits-for-bye', target, service: SERVICE, rtpPort: ear.port })
    expect(rms(ear.heard())).toBeGreaterThan(300)
  })

  it('gives up before the answer: one canceled [A7]', async () => {
    let answerPage: (() => void) | undefined
    app.page('/voice', '<Say>Too late.</Say>', {
      after: new Promise<void>((resolve) => {
        answerPage = resolve
      }),
    })
    await sipp({ scenario: 'uac-cancels', target, service: SERVICE })
    // The newest call, whether or not the application has been asked about it yet.
    const { calls } = (await trunkline.api('GET', '/Calls.json?PageSize=1')).body
    const [{ sid }] = calls as [{ readonly sid: string }]
    const callbacks = await app.completed(sid)
    answerPage?.()
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['canceled'])
    await expectNothingLeft(trunkline)
  })

  it.each([
    ['holds and takes the call back', 'uac-holds'],
    ['offers late, in the ACK', 'uac-late-offer'],
    ['loses two 200s [A6]', 'uac-loses-two-200s'],
  ])('%s: one completed', async (_title, scenario) => {
    app.page('/voice', '<Say>Hello.</Say><Pause length="40"/>')
    await sipp({ scenario, target, service: SERVICE })
    const callbacks = await app.completed(callSid())
    expect(callbacks.map((params) => params['CallStatus'])).toEqual(['completed'])
    await expectNothingLeft(trunkline)
  })

  it.each([
    ['busy', 486],
    ['rejected', 603],
  ] as const)('is declined as %s without an answer', async (reason, status) => {
    app.page('/voice', `<Reject reason="${reason}"/>`)
    await sipp({ scenario: `uac-wants-${status}`, target, service: SERVICE })
    const callbacks = await app.completed(callSid())
    expect(callbacks.map((params) => params['CallStatus'])).toEqual([
      reason === 'busy' ? 'busy' : 'no-answer',
    ])
    await expectNothingLeft(trunkline)
  })

  it("gets 404 for a number that is nobody's, and the application is not asked", async () => {
    const before = app.sink.requests.length
    await sipp({ scenario: 'uac-wants-404', target, service: '15550000000' })
    expect(app.sink.requests).toHaveLength(before)
    await expectNothingLeft(trunkline)
  })

  it('gets not a byte as a scanner [B12]', async () => {
    const asked = app.sink.requests.length
    const before = await trunkline.metrics()
    await sipp({ scenario: 'uac-ignored', target, service: SERVICE })
    const after = await trunkline.metrics()
    expect(after['lab_scanners_ignored']).toBe((before['lab_scanners_ignored'] ?? 0) + 1)
    expect(app.sink.requests).toHaveLength(asked)
    await expectNothingLeft(trunkline)
  })
})
