import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { RtpPeer } from '../support/media/rtp-peer.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** A party behind a NAT: its SDP names an address that nobody can send to. */
const SERVICE = '15551112222'
const ATTACKER = '127.0.0.66'

let trunkline: RunningTrunkline
let app: VoiceApp
let party: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  await trunkline.assignNumber(`+${SERVICE}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
beforeEach(async () => {
  party = await SipPeer.open()
})
afterEach(async () => {
  await expectNothingLeft(trunkline)
  party.close()
})

const privateSdp = () => party.sdp().replaceAll('IN IP4 127.0.0.1', 'IN IP4 192.168.1.5')
const rtpPortOf = (sdp: string) => Number(/^m=audio (\d+)/m.exec(sdp)?.[1])
const asked = (page: string) => app.sink.requests.filter(({ target }) => target === page)

/** Sends RTP and a key to the call before its party does. */
async function attack(port: number): Promise<RtpPeer> {
  const attacker = await RtpPeer.open({ host: ATTACKER })
  attacker.connect(port, '127.0.0.1')
  attacker.speak(990)
  await attacker.sendDigits('9')
  const begun = attacker.clock
  await waitUntil('a second of the attacker', () => (attacker.clock - begun) >>> 0 > 8_000)
  return attacker
}

const VERBS = (tone: string) =>
  `<Gather numDigits="1" action="/digits"><Play loop="0">${tone}</Play></Gather>`

describe('an attacker who sends RTP first', () => {
  it('hears nothing of a caller behind a NAT and presses no key in its place [E34]', async () => {
    app.page('/voice', VERBS(`${app.url}/tone.wav`))
    app.page('/digits', '<Hangup/>')
    const before = asked('/digits').length
    const call = party.call(trunkline.sipPort, { user: SERVICE, sdp: privateSdp(), isMute: true })
    const answer = await call.response(200, 'INVITE', 15_000)
    const port = rtpPortOf(answer.body)
    await using attacker = await attack(port)
    party.rtp.remote = { address: '127.0.0.1', port }
    await waitUntil('the caller to hear the prompt', () => party.rtp.hears(440))
    expect(attacker.packets).toEqual([])
    await party.rtp.sendDigit('4')
    await waitUntil('the key to arrive', () => asked('/digits').length > before)
    expect(new Map(asked('/digits').at(-1)?.params).get('Digits')).toBe('4')
    await call.request('BYE', 15_000)
  })

  it('hears nothing of a called party behind a NAT [E34]', async () => {
    const calling = trunkline.createCall({
      To: party.uri(),
      From: '+15553334444',
      Markup: `<Response>${VERBS(`${app.url}/tone.wav`)}</Response>`,
    })
    const call = await party.nextCall(15_000)
    party.rtp.remote = undefined
    const port = rtpPortOf(call.invite.body)
    await calling
    await call.answer(privateSdp())
    await using attacker = await attack(port)
    party.rtp.remote = { address: '127.0.0.1', port }
    await waitUntil('the called party to hear the prompt', () => party.rtp.hears(440))
    expect(attacker.packets).toEqual([])
    call.bye()
    await call.response(200, 'BYE')
  })
})
