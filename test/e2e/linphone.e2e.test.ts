import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { type Linphone, startLinphone } from '../support/sip/linphone.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import {
  createSoftphoneDomain,
  PASSWORD,
  type SoftphoneDomain,
} from '../support/sip/softphone-domain.js'
import { rms } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 30_000
let trunkline: RunningTrunkline
let app: VoiceApp
let domain: SoftphoneDomain

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  domain = await createSoftphoneDomain(trunkline, ['alice-tcp', 'bob'], {
    DomainName: 'acme.example',
    VoiceUrl: `${app.url}/voice`,
    VoiceStatusCallbackUrl: `${app.url}/status`,
  })
})
afterEach(() => expectNothingLeft(trunkline))
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

/** Starts Linphone as the user, and waits until it is registered. */
async function registered(user: string, transport: 'udp' | 'tcp'): Promise<Linphone> {
  const phone = await startLinphone({
    toneHz: 500,
    account: {
      user,
      domain: domain.name,
      password: PASSWORD,
      transport,
      port: trunkline.sipPort,
    },
  })
  try {
    await waitUntil(
      `${user} is registered over ${transport}`,
      async () => (await domain.registrations()).some((each) => each['username'] === user),
      LIMIT_MS,
      () => [phone.printed().slice(-6_000)],
    )
  } catch (error) {
    await phone[Symbol.asyncDispose]()
    throw error
  }
  return phone
}

it('registers over TCP, is called, and calls the application of its domain', async () => {
  await using phone = await registered('alice-tcp', 'tcp')
  const { sid } = await trunkline.createCall({
    To: `sip:alice-tcp@${domain.name}`,
    From: '+15551112222',
    Markup: '<Response><Say>This sentence is spoken by a machine.</Say></Response>',
    StatusCallback: `${app.url}/status`,
  })
  const [callback] = await app.completed(sid)
  expect(callback?.['CallStatus'], phone.printed().slice(-6_000)).toBe('completed')
  await waitUntil('it is heard', () => rms(phone.heard()) > 300, LIMIT_MS)
  app.page('/voice', '<Say>Welcome to the office.</Say>')
  phone.dial(`sip:15551234567@${domain.name}`)
  const asked = await app.asked('/voice')
  expect(asked).toMatchObject({ From: 'sip:alice-tcp@acme.example', SipUsername: 'alice-tcp' })
  const [own] = await app.completed(asked['CallSid'] ?? '')
  expect(own?.['CallStatus']).toBe('completed')
})

it('hands a caller over to the party that it has asked (Replaces)', async () => {
  await using phone = await registered('bob', 'udp')
  using caller = await SipPeer.open()
  using agent = await SipPeer.open()
  const screen = () => [phone.printed().slice(-6_000)]
  const called = caller.nextCall(LIMIT_MS)
  await trunkline.createCall({
    To: caller.uri('caller'),
    From: '+15551112222',
    Markup: `<Response><Dial><Sip>sip:bob@${domain.name}</Sip></Dial></Response>`,
  })
  const held = await called
  await held.answer()
  await waitUntil('bob is heard', () => caller.rtp.hears(500), LIMIT_MS, screen)
  app.page('/voice', `<Dial><Sip>${agent.uri('agent')}</Sip></Dial>`)
  const asked = agent.nextCall(LIMIT_MS)
  phone.command('pause')
  phone.dial(`sip:agent@${domain.name}`)
  const consulted = await asked
  await consulted.answer()
  await waitUntil('bob is heard by the agent', () => agent.rtp.hears(500), LIMIT_MS, screen)
  phone.command('transfer 1 --to-call 2')
  caller.rtp.speak(700)
  agent.rtp.speak(900)
  await waitUntil('the caller hears the agent', () => caller.rtp.hears(900), LIMIT_MS, screen)
  await waitUntil('the agent hears the caller', () => agent.rtp.hears(700), LIMIT_MS, screen)
  held.bye()
  await consulted.request('BYE', LIMIT_MS)
})
