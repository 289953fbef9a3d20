import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { startBaresip } from '../support/sip/baresip.js'
import { startLinphone } from '../support/sip/linphone.js'
import {
  HAS_TLS,
  NEEDS_TLS,
  type SecureTrunkline,
  startSecureTrunkline,
} from '../support/sip/secure-trunkline.js'
import { type PeerCall, SipPeer } from '../support/sip/sip-peer.js'
import type { Softphone } from '../support/sip/softphone.js'
import {
  createSoftphoneDomain,
  PASSWORD,
  type SoftphoneDomain,
} from '../support/sip/softphone-domain.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Registered softphones that hold a call, and hand it over, whatever their messages travel by. */
const LIMIT_MS = 30_000
const THEIRS_HZ = 500
const TRANSPORTS = ['udp', 'tcp', 'tls'] as const
type Transport = (typeof TRANSPORTS)[number]

let secure: SecureTrunkline
let trunkline: RunningTrunkline
let app: VoiceApp
let domain: SoftphoneDomain
/** The party that the phone talks with. */
let caller: SipPeer

const users = ['baresip', 'linphone'].flatMap((name) => TRANSPORTS.map((by) => `${name}-${by}`))

beforeAll(async () => {
  if (!HAS_TLS) return
  secure = await startSecureTrunkline()
  ;({ trunkline } = secure)
  app = await startVoiceApp()
  domain = await createSoftphoneDomain(trunkline, users, {
    DomainName: 'ways.example',
    VoiceUrl: `${app.url}/voice`,
  })
})
beforeEach(({ skip }) => {
  if (!HAS_TLS) skip(NEEDS_TLS)
})
afterEach(async () => {
  if (!HAS_TLS) return
  caller.close()
  await expectNothingLeft(trunkline)
})
afterAll(async () => {
  if (!HAS_TLS) return
  await app[Symbol.asyncDispose]()
  await secure[Symbol.asyncDispose]()
})

const baresip = (user: string, transport: Transport) =>
  startBaresip({
    toneHz: THEIRS_HZ,
    account: domain.baresipAccount(user, { transport }),
    trusts: secure.authority,
  })

const linphone = (user: string, transport: Transport) =>
  startLinphone({
    toneHz: THEIRS_HZ,
    account: {
      ...{ user, domain: domain.name, password: PASSWORD, transport },
      port: transport === 'tls' ? trunkline.sipTlsPort : trunkline.sipPort,
      trusts: secure.authority,
    },
  })

const screen = (phone: Softphone) => () => [phone.printed().slice(-6_000)]

/** Has the caller's call dial the registered phone, and resolves once the caller hears it. */
async function talk(user: string, transport: Transport, phone: Softphone): Promise<PeerCall> {
  await waitUntil(
    `${user} is registered`,
    async () =>
      (await domain.registrations()).some(
        (each) => each['username'] === user && each['transport'] === transport,
      ),
    LIMIT_MS,
    screen(phone),
  )
  caller = await SipPeer.open()
  await trunkline.createCall({
    To: caller.uri('caller'),
    From: '+15551112222',
    Markup: `<Response><Dial referUrl="${app.url}/moved"><Sip>sip:${user}@${domain.name}</Sip></Dial></Response>`,
  })
  const call = await caller.nextCall(LIMIT_MS)
  await call.answer()
  await waitUntil('it is heard', () => caller.rtp.hears(THEIRS_HZ), LIMIT_MS, screen(phone))
  return call
}

/** Has the phone hold the call, and return to it. Linphone plays music meanwhile, baresip nothing. */
async function holdAndReturn(phone: Softphone): Promise<void> {
  await waitUntil('audio arrives', () => phone.receives(), LIMIT_MS, screen(phone))
  phone.hold()
  await waitUntil('nothing arrives', () => !phone.receives(), LIMIT_MS, screen(phone))
  phone.resume()
  await waitUntil('audio arrives again', () => phone.receives(), LIMIT_MS, screen(phone))
}

describe.each(TRANSPORTS)('over %s', (transport) => {
  it('baresip is called, holds, returns, and hands the caller over', async () => {
    const user = `baresip-${transport}`
    await using phone = await baresip(user, transport)
    const call = await talk(user, transport, phone)
    await holdAndReturn(phone)
    app.page('/moved', `<Play>${app.url}/tone.wav</Play>`)
    phone.command('transfer', 'sip:agent@198.51.100.7')
    expect(await app.asked('/moved')).toMatchObject({
      ReferTransferTarget: 'sip:agent@198.51.100.7',
    })
    await waitUntil('the caller goes on', () => caller.rtp.hears(440), LIMIT_MS, screen(phone))
    call.bye()
  })

  it('linphone is called, holds, returns, asks an agent and hands the caller over', async () => {
    const user = `linphone-${transport}`
    await using phone = await linphone(user, transport)
    const call = await talk(user, transport, phone)
    await holdAndReturn(phone)
    using agent = await SipPeer.open()
    app.page('/voice', `<Dial><Sip>${agent.uri('agent')}</Sip></Dial>`)
    phone.hold()
    phone.dial(`sip:agent@${domain.name}`)
    const consulted = await agent.nextCall(LIMIT_MS)
    await consulted.answer()
    await waitUntil('it is heard', () => agent.rtp.hears(THEIRS_HZ), LIMIT_MS, screen(phone))
    phone.command('transfer 1 --to-call 2')
    caller.rtp.speak(700)
    agent.rtp.speak(900)
    await waitUntil('the caller hears the agent', () => caller.rtp.hears(900), LIMIT_MS)
    await waitUntil('the agent hears the caller', () => agent.rtp.hears(700), LIMIT_MS)
    call.bye()
    await consulted.request('BYE', LIMIT_MS)
  })
})
