/** Behind a NAT: parties of a local network are told another RTP address than those outside. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { openLab } from '../support/media/lab.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { phonesCarrier } from '../support/process/real-servers.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const INSIDE = '127.0.0.1'
/** The address outside, of RFC 5737: nobody has it. */
const OUTSIDE = '203.0.113.7'
const NUMBER = '+15551112222'
const LIMIT_MS = 20_000

let lab: Lab
let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  lab = await openLab({ mediaFaults: { extRtpAddress: OUTSIDE } })
  app = await startVoiceApp()
  trunkline = await startTrunkline({
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    LOCAL_NETWORKS: '127.0.0.1, 192.0.2.0/24',
  })
  await trunkline.adminApi('PUT', '/carriers/lab', phonesCarrier(lab))
  app.page('/voice', '<Say>Hello</Say><Pause length="60"/>')
  await trunkline.assignNumber(NUMBER, { voiceUrl: `${app.url}/voice` })
})
afterAll(async () => {
  await trunkline[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await lab[Symbol.asyncDispose]()
})

const rtpAddress = (sdp = '') => /^c=IN IP4 (\S+)/m.exec(sdp)?.[1]

describe.each([
  ['of a local network', '127.0.0.1', INSIDE],
  ['of another one', '127.0.0.2', OUTSIDE],
])('a party %s', (_title, address, expected) => {
  let phone: SipPeer
  beforeAll(async () => {
    phone = await SipPeer.open(address, '127.0.0.1')
  })
  afterAll(() => {
    phone.close()
  })

  it('that is called is told its RTP address, in the INVITE and in a re-INVITE', async () => {
    const invited = phone.nextCall(LIMIT_MS)
    await trunkline.createCall({
      To: phone.uri('b'),
      From: NUMBER,
      Markup: '<Response><Pause length="60"/></Response>',
    })
    const call = await invited
    expect(rtpAddress(call.invite.body)).toBe(expected)
    await call.answer()
    call.reinvite(phone.sdp())
    expect(rtpAddress((await call.response(200, 'INVITE', LIMIT_MS)).body)).toBe(expected)
    call.ack()
    call.bye()
    await expectNothingLeft(trunkline)
  })

  it.each([
    ['with an offer', {}],
    ['without one', { sdp: null }],
  ])('that calls %s is told its RTP address', async (_what, options) => {
    const call = phone.call(lab.sipPort, { user: NUMBER, ...options })
    expect(rtpAddress((await call.response(200, 'INVITE', LIMIT_MS)).body)).toBe(expected)
    call.bye()
    await expectNothingLeft(trunkline)
  })
})
