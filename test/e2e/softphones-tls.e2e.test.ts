/** Softphones of Debian over TLS: on the lab, and on the drachtio that `DRACHTIO_TLS_URL` names. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
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
import type { Softphone } from '../support/sip/softphone.js'
import {
  createSoftphoneDomain,
  PASSWORD,
  type SoftphoneDomain,
} from '../support/sip/softphone-domain.js'
import { rms } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 30_000

let secure: SecureTrunkline
let trunkline: RunningTrunkline
let app: VoiceApp
let domain: SoftphoneDomain

beforeAll(async () => {
  if (!HAS_TLS) return
  secure = await startSecureTrunkline()
  ;({ trunkline } = secure)
  app = await startVoiceApp()
  domain = await createSoftphoneDomain(trunkline, ['alice', 'bob'], {
    DomainName: 'acme.example',
    VoiceUrl: `${app.url}/voice`,
    VoiceStatusCallbackUrl: `${app.url}/status`,
  })
})
afterAll(async () => {
  if (!HAS_TLS) return
  await app[Symbol.asyncDispose]()
  await secure[Symbol.asyncDispose]()
})
beforeEach(({ skip }) => {
  if (!HAS_TLS) skip(NEEDS_TLS)
})

const linphone = () =>
  startLinphone({
    toneHz: 500,
    account: {
      user: 'alice',
      domain: domain.name,
      password: PASSWORD,
      transport: 'tls',
      port: trunkline.sipTlsPort,
      trusts: secure.authority,
    },
  })
const baresip = () =>
  startBaresip({
    account: domain.baresipAccount('bob', { transport: 'tls' }),
    trusts: secure.authority,
  })

/** Waits until the user is registered over TLS. */
async function isRegistered(user: string, phone: Softphone): Promise<void> {
  await waitUntil(
    `${user} is registered over TLS`,
    async () =>
      (await domain.registrations()).some(
        ({ username, transport }) => username === user && transport === 'tls',
      ),
    LIMIT_MS,
    () => [phone.printed().slice(-6_000)],
  )
}

describe.each([
  ['linphone', 'alice', linphone],
  ['baresip', 'bob', baresip],
] as const)('%s over TLS', (_name, user, start) => {
  it('registers, is called, and calls the application of its domain', async () => {
    await using phone = await start()
    await isRegistered(user, phone)
    const { sid } = await trunkline.createCall({
      To: `sip:${user}@${domain.name}`,
      From: '+15551112222',
      Markup: '<Response><Say>This sentence is spoken by a machine.</Say></Response>',
      StatusCallback: `${app.url}/status`,
    })
    const [callback] = await app.completed(sid)
    expect(callback?.['CallStatus'], phone.printed().slice(-6_000)).toBe('completed')
    await waitUntil('it is heard', () => rms(phone.heard()) > 300, LIMIT_MS)

    app.page('/voice', `<Say>Welcome to the office of ${user}.</Say>`)
    const asked = app.sink.requests.length
    phone.dial(`sip:15551234567@${domain.name}`)
    await waitUntil(
      'the application is asked',
      () => app.sink.requests.slice(asked).some(({ target }) => target === '/voice'),
      LIMIT_MS,
      () => [phone.printed().slice(-6_000)],
    )
    const request = app.sink.requests.slice(asked).find(({ target }) => target === '/voice')
    const params = Object.fromEntries(request?.params ?? [])
    expect(params).toMatchObject({ From: `sip:${user}@${domain.name}`, SipUsername: user })
    const [own] = await app.completed(params['CallSid'] ?? '')
    expect(own?.['CallStatus']).toBe('completed')
    await expectNothingLeft(trunkline)
  })
})
