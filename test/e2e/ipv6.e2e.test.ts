/** A whole call over IPv6 loopback: SIP, RTP, the API and the application's pages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RtpPeer } from '../support/media/rtp-peer.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { startSipp } from '../support/sip/sipp.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const HOST = '::1'
const NUMBER = '+15551112222'
const SERVICE = '15551112222'
const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let app: VoiceApp
let phone: SipPeer

beforeAll(async () => {
  trunkline = await startTrunkline({ SIP_HOST: HOST, HTTP_HOST: HOST, ADMIN_HOST: HOST })
  app = await startVoiceApp(HOST)
  phone = await SipPeer.open(HOST)
  app.page('/after', '<Hangup/>')
  await trunkline.assignNumber(NUMBER, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  phone.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** The audio port in the last SDP of SIPp's messages, which is the answer that it received. */
function audioPortOfAnswer(messages: string): number {
  const audio = [...messages.matchAll(/^c=IN IP6 ::1\r?\n(?:.+\r?\n)*?m=audio (\d+)/gm)]
  return Number(audio.at(-1)?.[1])
}

describe('a server on ::1 [F54]', () => {
  it('shows its addresses with brackets', () => {
    expect(trunkline.http).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(trunkline.admin).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(trunkline.server.listening.sip).toBe(`[::1]:${trunkline.sipPort}`)
  })

  it('finds no fault in the address of its RTP', async () => {
    const readiness = await (await fetch(`${trunkline.http}/readyz`)).text()
    expect(readiness).toContain('"status":"ready"')
    expect(readiness).not.toContain('Fault')
  })

  it.each([
    'udp',
    'tcp',
  ] as const)('is called by SIPp over %s: tones both ways, and one completed', async (transport) => {
    await using caller: RtpPeer = await RtpPeer.open({ host: HOST })
    const invited = phone.nextCall(LIMIT_MS)
    app.page('/voice', `<Dial action="${app.url}/after"><Sip>${phone.uri('b')}</Sip></Dial>`)
    await using sipp = await startSipp({
      scenario: 'uac-waits-for-bye',
      target: `[${HOST}]:${trunkline.sipPort}`,
      transport,
      host: HOST,
      service: SERVICE,
      rtpPort: caller.port,
    })
    const call = await invited
    expect(call.invite.body).toContain('c=IN IP6 ::1\r\n')
    expect(headerOf(call.invite, 'contact')).toContain(`[::1]:${trunkline.sipPort}`)
    await call.answer()
    phone.rtp.speak(900)
    await caller.waitForTone(900)
    const port = () => audioPortOfAnswer(sipp.messages())
    await waitUntil('SIPp has written the answer down', () => !Number.isNaN(port()), LIMIT_MS)
    caller.connect(port())
    caller.speak(500)
    await waitUntil('the caller is heard', () => phone.rtp.hears(500), LIMIT_MS)
    call.bye()
    await sipp.done
    const { CallSid = '', ...asked } =
      app.sink.requests
        .filter((request) => request.target === '/voice')
        .map((request) => Object.fromEntries(request.params) as Record<string, string>)
        .at(-1) ?? {}
    expect(asked).toMatchObject({ From: '+15553334444', To: NUMBER })
    const callbacks = await app.completed(CallSid)
    expect(callbacks.at(-1)).toMatchObject({ CallStatus: 'completed', Direction: 'inbound' })
    await expectNothingLeft(trunkline)
  })

  it.each(['udp', 'tcp'] as const)('calls SIPp over %s by the API', async (transport) => {
    await using callee: RtpPeer = await RtpPeer.open({ host: HOST })
    await using sipp = await startSipp({
      scenario: 'uas-answers-and-waits',
      transport,
      host: HOST,
      rtpPort: callee.port,
    })
    app.page('/voice', `<Play>${app.url}/tone.wav</Play>`)
    const { sid } = await trunkline.createCall({
      To: `sip:b@[${HOST}]:${sipp.port};transport=${transport}`,
      From: NUMBER,
      Url: `${app.url}/voice`,
      StatusCallback: `${app.url}/status`,
    })
    await callee.waitForTone(440)
    await sipp.done
    expect((await app.completed(sid)).at(-1)).toMatchObject({ CallStatus: 'completed' })
    await expectNothingLeft(trunkline)
  })
})
