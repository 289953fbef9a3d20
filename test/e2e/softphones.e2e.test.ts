import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { startBaresip } from '../support/sip/baresip.js'
import { createSoftphoneDomain, type SoftphoneDomain } from '../support/sip/softphone-domain.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

let trunkline: RunningTrunkline
let app: VoiceApp
let domain: SoftphoneDomain

const POLL = { timeout: 20_000 }

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  domain = await createSoftphoneDomain(trunkline, ['alice', 'bob'], {
    DomainName: 'acme.example',
    VoiceUrl: `${app.url}/voice`,
    VoiceStatusCallbackUrl: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

describe('a softphone from Debian', () => {
  it('registers, is shown, and unregisters when it ends', async () => {
    await using phone = await startBaresip({ account: domain.baresipAccount('alice') })
    await expect.poll(() => phone.printed(), POLL).toMatch(/200 OK/)
    const [registration, ...others] = await domain.registrations()
    expect(others).toEqual([])
    expect(registration).toMatchObject({
      username: 'alice',
      received_from: `127.0.0.1:${phone.sipPort}`,
      transport: 'udp',
      user_agent: expect.stringContaining('baresip') as unknown,
    })
    const { body } = await trunkline.adminApi('GET', '/registrations')
    expect(body).toMatchObject({ total: 1, registrations: [{ username: 'alice' }] })
    phone.command('quit')
    await expect.poll(() => domain.registrations(), POLL).toEqual([])
  })
})
