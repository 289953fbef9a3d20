/** Registered phones of a server that is killed: what the next process knows of them. */
import { describe, expect, it } from 'vitest'
import { openOffice } from '../bench/registrations/phone-office.js'
import { freePort } from '../support/process/free-port.js'
import { kill, restart } from '../support/process/kill-and-restart.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { IS_LAB } from '../support/process/real-servers.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type Baresip, startBaresip } from '../support/sip/baresip.js'
import { startLinphone } from '../support/sip/linphone.js'
import { challengeFor, RegisterClient } from '../support/sip/register-client.js'
import {
  createSoftphoneDomain,
  PASSWORD,
  type SoftphoneDomain,
} from '../support/sip/softphone-domain.js'
import { rms } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const DOMAIN = 'acme.example'
const LIMIT_MS = 30_000
/** A phone that registers for so long does not refresh while a test runs. */
const SECONDS = 600
const PHONES = 300
const PHONES_IN_OFFICE = 50
/** A limit for failures alone: on a busy machine three hundred take their time. */
const STORM_LIMIT_MS = 90_000

const start = async () => startTrunkline({ SIP_PORT: String(await freePort()) })

/** `kill -9`, and the same server again: on the same data and the same port. */
async function killAndRestart(trunkline: RunningTrunkline): Promise<RunningTrunkline> {
  await kill(trunkline)
  return await restart(trunkline, { SIP_PORT: String(trunkline.sipPort) })
}

/** What is registered, as the server that runs shows it. */
async function registrationsAt(trunkline: RunningTrunkline) {
  const { body } = await trunkline.adminApi('GET', '/registrations')
  return body as { total: number; registrations: readonly Readonly<Record<string, unknown>>[] }
}

/** Starts a softphone of Debian, and waits until it is registered. */
async function registered(
  user: string,
  domain: SoftphoneDomain,
  trunkline: RunningTrunkline,
): Promise<Baresip> {
  const phone = await startBaresip({
    account: domain.baresipAccount(user, { seconds: SECONDS }),
  })
  try {
    await waitUntil(
      `${user} is registered`,
      async () =>
        (await registrationsAt(trunkline)).registrations.some(({ username }) => username === user),
      LIMIT_MS,
      () => [phone.printed()],
    )
  } catch (error) {
    await phone[Symbol.asyncDispose]()
    throw error
  }
  return phone
}

/** Calls a user, who hears speech; resolves with the final statuses of the call. */
async function isCalled(user: string, trunkline: RunningTrunkline, app: VoiceApp) {
  const { sid } = await trunkline.createCall({
    To: `client:${user}`,
    From: '+15551112222',
    Markup: '<Response><Say>This sentence is spoken by a machine.</Say></Response>',
    StatusCallback: `${app.url}/status`,
  })
  return (await app.completed(sid)).map(({ CallStatus }) => CallStatus)
}

const registersOf = (phone: Baresip) => phone.printed().match(/^REGISTER sip:/gm)?.length

describe('phones of a server that is killed', () => {
  it('are called by the next process without another REGISTER', async () => {
    await using app = await startVoiceApp()
    await using trunkline = await start()
    const users = ['alice', 'bob', 'carol']
    const domain = await createSoftphoneDomain(trunkline, users, { DomainName: DOMAIN })
    await using alice = await registered('alice', domain, trunkline)
    await using bob = await registered('bob', domain, trunkline)
    await using carol = await registered('carol', domain, trunkline)
    const before = await registrationsAt(trunkline)
    expect(before.total).toBe(users.length)
    const phones = { alice, bob, carol }
    const registers = Object.values(phones).map(registersOf)

    await using again = await killAndRestart(trunkline)
    expect(await registrationsAt(again)).toEqual(before)
    for (const [user, phone] of Object.entries(phones)) {
      expect(await isCalled(user, again, app), phone.printed()).toEqual(['completed'])
      await waitUntil(`${user} hears it`, () => rms(phone.heard()) > 300, LIMIT_MS)
    }
    expect(Object.values(phones).map(registersOf)).toEqual(registers)
    await expectNothingLeft(again)
  })

  it('over TCP are called by the next process, on the connection that they have', async ({
    skip,
  }) => {
    if (IS_LAB) skip('The connection ends with the process of the lab; a drachtio goes on.')
    await using app = await startVoiceApp()
    await using trunkline = await start()
    const domain = await createSoftphoneDomain(trunkline, ['alice-tcp'], { DomainName: DOMAIN })
    await using phone = await startLinphone({
      toneHz: 500,
      account: {
        user: 'alice-tcp',
        domain: domain.name,
        password: PASSWORD,
        transport: 'tcp',
        port: trunkline.sipPort,
      },
    })
    const screen = () => [phone.printed().slice(-6_000)]
    const isRegistered = async () => (await registrationsAt(trunkline)).total === 1
    await waitUntil('it registers', isRegistered, LIMIT_MS, screen)
    const before = await registrationsAt(trunkline)

    await using again = await killAndRestart(trunkline)
    expect(await registrationsAt(again)).toEqual(before)
    expect(await isCalled('alice-tcp', again, app), phone.printed().slice(-6_000)).toEqual([
      'completed',
    ])
    await waitUntil('it is heard', () => rms(phone.heard()) > 300, LIMIT_MS)
    await expectNothingLeft(again)
  })

  it('can use the nonces that they hold, and nobody those that were used', async () => {
    await using trunkline = await start()
    await createSoftphoneDomain(trunkline, ['alice'], { DomainName: DOMAIN })
    await using client = await RegisterClient.open(trunkline.sipPort)
    const alice = { domain: DOMAIN, user: 'alice', expires: SECONDS }
    const challenge = challengeFor(await client.send(alice), 'SHA-256')
    const again = (count: number) => client.register({ ...alice, reuse: { challenge, count } })
    expect((await again(1)).status).toBe(200)
    await using _next = await killAndRestart(trunkline)
    const replayed = await again(1)
    expect([replayed.status, replayed.headers('WWW-Authenticate').length]).toEqual([401, 2])
    expect((await again(2)).status).toBe(200)
  })

  it('all register at once: each gets its 200, none is there twice, and a call is taken', async () => {
    await using app = await startVoiceApp()
    await using trunkline = await start()
    const users = Array.from({ length: PHONES }, (_, at) => `phone${at}`)
    const domain = await createSoftphoneDomain(trunkline, ['alice', ...users], {
      DomainName: DOMAIN,
    })
    await using alice = await registered('alice', domain, trunkline)
    const offices = await Promise.all(
      Array.from({ length: PHONES / PHONES_IN_OFFICE }, (_, at) =>
        openOffice({
          address: `127.1.9.${at + 1}`,
          sipPort: trunkline.sipPort,
          domain: DOMAIN,
          password: PASSWORD,
        }),
      ),
    )
    const phones = users.map((user, at) => {
      const office = offices[Math.floor(at / PHONES_IN_OFFICE)]
      if (office === undefined) throw new Error('unreachable')
      return office.phone(user)
    })
    const storm = async () => {
      const outcomes = await Promise.all(phones.map((phone) => phone.register(STORM_LIMIT_MS)))
      return outcomes.filter(Boolean).length
    }
    try {
      expect(await storm()).toBe(users.length)
      await using again = await killAndRestart(trunkline)
      const [refreshed, called] = await Promise.all([storm(), isCalled('alice', again, app)])
      expect([refreshed, called], alice.printed().slice(-4_000)).toEqual([
        users.length,
        ['completed'],
      ])
      const { total, registrations } = await registrationsAt(again)
      expect(total).toBe(users.length + 1)
      expect(new Set(registrations.map(({ username }) => username)).size).toBe(total)
      await expectNothingLeft(again)
    } finally {
      for (const office of offices) office.close()
    }
  }, 300_000)
})
