import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startBaresip } from '../support/sip/baresip.js'
import { startLinphone } from '../support/sip/linphone.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import type { Softphone } from '../support/sip/softphone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** A phone that hands one of its calls over to the other: blind, and with Replaces (RFC 3891). */
const NUMBER = '15551112222'
const LIMIT_MS = 20_000

let trunkline: RunningTrunkline
let app: VoiceApp
/** The phone that transfers, and the socket of its second call. */
let phone: SipPeer
let secondLine: SipPeer
let first: SipPeer
let second: SipPeer

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  await trunkline.assignNumber(`+${NUMBER}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
beforeEach(async () => {
  ;[phone, secondLine, first, second] = await Promise.all([
    SipPeer.open(),
    SipPeer.open(),
    SipPeer.open(),
    SipPeer.open(),
  ])
})
afterEach(async () => {
  for (const peer of [phone, secondLine, first, second]) peer.close()
  await expectNothingLeft(trunkline)
})

/** The dial of the phone's number, and of the phone by the other's call. */
const dialOf = (uri: string) => `<Dial><Sip>${uri}</Sip></Dial>`

/** The other calls first, and its Dial reaches the phone; or the phone's own call reaches the other. */
async function talk(role: 'called' | 'calling', phone: SipPeer, other: SipPeer): Promise<PeerCall> {
  const called = other.nextCall(LIMIT_MS)
  if (role === 'calling') {
    app.page('/voice', dialOf(other.uri('other')))
    const own = phone.call(trunkline.sipPort, { user: NUMBER })
    await (await called).answer()
    await own.response(200, 'INVITE', LIMIT_MS)
    return own
  }
  await trunkline.createCall({
    To: other.uri('other'),
    From: `+${NUMBER}`,
    Markup: `<Response>${dialOf(phone.uri('phone'))}</Response>`,
    StatusCallback: `${app.url}/status`,
  })
  await (await called).answer()
  const invited = await phone.nextCall(LIMIT_MS)
  await invited.answer()
  return invited
}

/** Resolves when each of the two hears the other. */
async function talkTogether(one: SipPeer, another: SipPeer): Promise<void> {
  one.rtp.speak(700)
  another.rtp.speak(900)
  await waitUntil('the first hears the second', () => one.rtp.hears(900), LIMIT_MS)
  await waitUntil('the second hears the first', () => another.rtp.hears(700), LIMIT_MS)
  one.rtp.speak(0)
  another.rtp.speak(0)
}

const replacing = ({ callId, remoteTag = '', localTag = '' }: PeerCall) =>
  `sip:other@127.0.0.1?Replaces=${encodeURIComponent(
    `${callId};to-tag=${remoteTag};from-tag=${localTag}`,
  )}`

async function statuses(): Promise<unknown[]> {
  await expectNothingLeft(trunkline)
  const { body } = await trunkline.api('GET', '/Calls.json?PageSize=4')
  return (body['calls'] as { status: string }[]).map(({ status }) => status)
}

describe('an attended transfer', () => {
  it.each([
    ['called', 'calling'],
    ['calling', 'calling'],
    ['calling', 'called'],
    ['called', 'called'],
  ] as const)('of a phone that is %s, to one where it is %s, joins the others', async (...roles) => {
    const held = await talk(roles[0], phone, first)
    await talkTogether(phone, first)
    const consulted = await talk(roles[1], secondLine, second)
    await talkTogether(secondLine, second)
    held.refer(replacing(consulted))
    await held.response(202, 'REFER', LIMIT_MS)
    await Promise.all([held.request('BYE', LIMIT_MS), consulted.request('BYE', LIMIT_MS)])
    expect(held.requests('NOTIFY').at(-1)?.body.trim()).toBe('SIP/2.0 200 OK')
    await talkTogether(first, second)
    const [one] = first.calls
    one?.bye()
    await second.calls[0]?.request('BYE', LIMIT_MS)
    expect(await statuses()).toEqual(Array(4).fill('completed'))
  })

  it('to a dialog that does not exist is refused, and the call goes on', async () => {
    const held = await talk('called', phone, first)
    held.refer('sip:other@127.0.0.1?Replaces=nobody%3Bto-tag%3D1%3Bfrom-tag%3D2')
    await held.response(603, 'REFER', LIMIT_MS)
    await talkTogether(phone, first)
    held.bye()
    await first.calls[0]?.request('BYE', LIMIT_MS)
  })
})

describe('a phone that holds the other', () => {
  /** The first talks with the phone, which has put it on hold. */
  async function hold(attributes = ''): Promise<PeerCall> {
    const called = first.nextCall(LIMIT_MS)
    await trunkline.createCall({
      To: first.uri('other'),
      From: `+${NUMBER}`,
      Markup: `<Response><Dial ${attributes}><Sip>${phone.uri('phone')}</Sip></Dial></Response>`,
    })
    await (await called).answer()
    const held = await phone.nextCall(LIMIT_MS)
    await held.answer()
    await talkTogether(phone, first)
    held.reinvite(phone.sdp({ version: 2, direction: 'sendonly' }))
    await held.response(200, 'INVITE', LIMIT_MS)
    return held
  }

  it('and hangs up leaves it to the action', async () => {
    app.page('/left', `<Play>${app.url}/tone.wav</Play>`)
    const held = await hold(`action="${app.url}/left"`)
    held.bye()
    await waitUntil('the other goes on', () => first.rtp.hears(440), LIMIT_MS)
    first.calls[0]?.bye()
  })

  it('joins it to the one that it asks meanwhile', async () => {
    const held = await hold()
    const consulted = await talk('calling', secondLine, second)
    await talkTogether(secondLine, second)
    held.refer(replacing(consulted))
    await held.response(202, 'REFER', LIMIT_MS)
    await talkTogether(first, second)
    first.calls[0]?.bye()
    await second.calls[0]?.request('BYE', LIMIT_MS)
  })
})

/** The first peer calls, and its Dial reaches the softphone. */
async function asCalled(softphone: Softphone, attributes = ''): Promise<string> {
  const called = first.nextCall(LIMIT_MS)
  const { sid } = await trunkline.createCall({
    To: first.uri('other'),
    From: `+${NUMBER}`,
    Markup: `<Response><Dial ${attributes}><Sip>${softphone.uri}</Sip></Dial></Response>`,
    StatusCallback: `${app.url}/status`,
  })
  await (await called).answer()
  await waitUntil(
    'it is heard',
    () => first.rtp.hears(500),
    LIMIT_MS,
    () => [softphone.printed().slice(-4_000)],
  )
  return sid
}

describe.each([
  ['baresip', () => startBaresip({ toneHz: 500 }), (to: string) => ['transfer', to]],
  ['linphone', () => startLinphone({ toneHz: 500 }), (to: string) => [`transfer ${to}`]],
] as const)('a blind transfer by %s', (_name, start, command) => {
  it('leads the other to the referUrl', async () => {
    await using softphone = await start()
    app.page('/moved', `<Play>${app.url}/tone.wav</Play>`)
    const sid = await asCalled(softphone, `referUrl="${app.url}/moved"`)
    const [name = '', params] = command('sip:agent@198.51.100.7')
    softphone.command(name, params)
    expect(await app.asked('/moved', sid)).toMatchObject({
      ReferTransferTarget: 'sip:agent@198.51.100.7',
    })
    await waitUntil('the other goes on', () => first.rtp.hears(440), LIMIT_MS)
    const callbacks = await app.completed(sid, LIMIT_MS)
    expect(callbacks.map(({ CallStatus }) => CallStatus)).toEqual(['completed'])
  })
})
