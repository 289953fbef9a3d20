import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { type PeerCall, type SdpOptions, SipPeer } from '../support/sip/sip-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Keys however a phone sends them, on calls of either direction, while a prompt plays. */
const SERVICE = '15551112222'
const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let app: VoiceApp
let phone: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice` })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
beforeEach(async () => {
  phone = await SipPeer.open()
})
afterEach(async () => {
  await expectNothingLeft(trunkline)
  phone.close()
})

type Press = (call: PeerCall, key: string) => Promise<void> | void

const FORMS: readonly (readonly [string, Press, SdpOptions])[] = [
  ['telephone events', (_call, key) => phone.rtp.sendDigit(key), {}],
  [
    'INFO with a length',
    (call, key) => {
      call.info('application/dtmf-relay', `Signal=${key}\r\nDuration=160\r\n`)
    },
    {},
  ],
  [
    'INFO alone',
    (call, key) => {
      call.info('application/dtmf', key)
    },
    {},
  ],
  [
    'both ways at once',
    async (call, key) => {
      call.info('application/dtmf-relay', `Signal=${key}\r\nDuration=100\r\n`)
      await phone.rtp.sendDigit(key)
    },
    {},
  ],
  ['tones in the audio', (_call, key) => phone.rtp.pressInBand(key), { digitPayloadType: 'none' }],
]

async function inbound(sdp: SdpOptions): Promise<PeerCall> {
  const call = phone.call(trunkline.sipPort, { user: SERVICE, sdp: phone.sdp(sdp) })
  await call.response(200, 'INVITE', LIMIT_MS)
  return call
}

async function outbound(sdp: SdpOptions): Promise<PeerCall> {
  const { sid } = await trunkline.createCall({
    To: phone.uri('phone'),
    From: `+${SERVICE}`,
    Url: `${app.url}/voice`,
  })
  const call = await phone.nextCall(LIMIT_MS).catch(async (cause: unknown) => {
    const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
    throw new Error(`the call did not arrive: ${JSON.stringify(body)}`, { cause })
  })
  await call.answer(phone.sdp(sdp))
  return call
}

describe.each([
  ['calls', inbound],
  ['is called', outbound],
] as const)('a phone that %s', (way, begin) => {
  it.each(FORMS)('presses keys by %s: the prompt ends, each counts once [E40]', async (...form) => {
    const [title, press, sdp] = form
    const page = `/${way}-${title}`.replaceAll(' ', '-')
    app.page(
      '/voice',
      `<Gather action="${page}" timeout="10" finishOnKey="#"><Play loop="20">${app.url}/tone.wav</Play></Gather>`,
    )
    app.page(page, '<Hangup/>')
    const call = await begin(sdp)
    await waitUntil('the prompt', () => phone.rtp.hears(440), LIMIT_MS)
    await press(call, '4')
    await waitUntil('silence', () => phone.rtp.isQuiet(), LIMIT_MS)
    for (const key of '42*0#') await press(call, key)
    expect(await app.asked(page)).toMatchObject({ Digits: '442*0', FinishedOnKey: '#' })
    await call.request('BYE', LIMIT_MS)
  })
})
