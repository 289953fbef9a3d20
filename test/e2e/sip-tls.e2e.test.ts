import { once } from 'node:events'
import { copyFileSync, renameSync } from 'node:fs'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { type Baresip, startBaresip } from '../support/sip/baresip.js'
import { CarrierPeer } from '../support/sip/carrier-peer.js'
import {
  makeAuthority,
  type TestAuthority,
  type TestCertificate,
} from '../support/sip/certificates.js'
import { type RegisterAnswer, RegisterClient } from '../support/sip/register-client.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import {
  createSoftphoneDomain,
  PASSWORD,
  type SoftphoneDomain,
} from '../support/sip/softphone-domain.js'
import { TlsRelay } from '../support/sip/tls-relay.js'
import { rms } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const folder = tempFolder()
const POLL = { timeout: 20_000 }
const files = { cert: `${folder.path}/cert.pem`, key: `${folder.path}/key.pem` }
let authority: TestAuthority
let trunkline: RunningTrunkline
let app: VoiceApp
let domain: SoftphoneDomain

/** Puts the certificate where the server reads it, each file in one step. */
function install({ certFile, keyFile }: TestCertificate): void {
  for (const [from, to] of [
    [certFile, files.cert],
    [keyFile, files.key],
  ] as const) {
    copyFileSync(from, `${to}.new`)
    renameSync(`${to}.new`, to)
  }
}

beforeAll(async () => {
  authority = await makeAuthority(folder.path)
  install(await authority.issue('first', ['IP:127.0.0.1', 'DNS:secure.example']))
  trunkline = await startTrunkline({
    SIP_TLS_CERT: files.cert,
    SIP_TLS_KEY: files.key,
    SIP_TLS_CA: authority.certFile,
    SIP_TLS_PORT: '0',
  })
  app = await startVoiceApp()
  domain = await createSoftphoneDomain(trunkline, ['alice', 'bob', 'carol', 'dave'], {
    DomainName: 'secure.example',
    Secure: 'true',
    VoiceUrl: `${app.url}/voice`,
    VoiceStatusCallbackUrl: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** A softphone of Debian over TLS, registered at the secure domain. */
async function securePhone(user: string): Promise<Baresip> {
  const phone = await startBaresip({
    account: domain.baresipAccount(user, { transport: 'tls' }),
    mediaEncryption: 'srtp-mand',
    trusts: authority,
  })
  await expect
    .poll(() => domain.registrations(), { ...POLL, message: phone.printed() })
    .toContainEqual(expect.objectContaining({ username: user, transport: 'tls' }))
  return phone
}

/** The address that a user is registered from. */
async function wayOf(user: string): Promise<unknown> {
  const all = await domain.registrations()
  return all.find(({ username }) => username === user)?.['received_from']
}

/** The subject of the certificate that a new connection is shown. */
async function shownSubject(): Promise<unknown> {
  const socket = connect({ host: '127.0.0.1', port: trunkline.sipTlsPort, ca: authority.cert })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return subject.CN
}

async function eventsOf(sid: string): Promise<string> {
  const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
  return JSON.stringify(body)
}

describe('a Secure domain', () => {
  it('has a softphone over TLS, which is called with SRTP', async () => {
    await using phone = await securePhone('alice')
    const { sid } = await trunkline.createCall({
      To: 'sip:alice@secure.example',
      From: '+15551112222',
      Markup: '<Response><Say>This sentence is spoken by a machine.</Say></Response>',
      StatusCallback: `${app.url}/status`,
    })
    const callbacks = await app.completed(sid)
    expect(
      callbacks.map((params) => params['CallStatus']),
      phone.printed(),
    ).toEqual(['completed'])
    await expect.poll(() => rms(phone.heard()), POLL).toBeGreaterThan(300)
    await expectNothingLeft(trunkline)
  })

  it('takes the call of a softphone over TLS with SRTP', async () => {
    await using phone = await securePhone('carol')
    app.page('/voice', '<Say>Welcome to the office.</Say>')
    phone.command('dial', 'sip:15551234567@secure.example')
    const asked = await app.asked('/voice')
    expect(asked, phone.printed()).toMatchObject({
      From: 'sip:carol@secure.example',
      SipDomain: 'secure.example',
      SipUsername: 'carol',
    })
    await app.completed(asked['CallSid'] ?? '')
    await expect.poll(() => rms(phone.heard()), POLL).toBeGreaterThan(300)
    await expectNothingLeft(trunkline)
  })

  const warningOf = (answer: RegisterAnswer) => [
    answer.status,
    /"(\d+)/.exec(answer.headers('Warning')[0] ?? '')?.[1],
  ]

  it('refuses REGISTER and INVITE without TLS, and a call over TLS without SRTP', async () => {
    await using clear = await RegisterClient.open(trunkline.sipPort, '127.0.5.1')
    const dave = { domain: 'secure.example', user: 'dave', password: PASSWORD }
    expect(warningOf(await clear.register(dave))).toEqual([403, '32209'])
    const call = { ...dave, calls: '15551234567' }
    expect(warningOf(await clear.register(call))).toEqual([403, '32209'])
    await using relay = await TlsRelay.toServer(trunkline.sipTlsPort, authority.cert)
    await using secure = await RegisterClient.open(relay.port)
    expect(warningOf(await secure.register(call))).toEqual([488, '32208'])
    const registered = (await domain.registrations()).map(({ username }) => username)
    expect(registered).not.toContain('dave')
  })
})

describe('a carrier over TLS', () => {
  /** Puts a carrier at `localhost` whose certificate is for these names; it answers 486. */
  async function carrier(name: string, names: readonly string[], more: object = {}) {
    const peer = await CarrierPeer.open(() => ({ status: 486 }))
    const certificate = await authority.issue(`carrier-${name}`, names)
    const relay = await TlsRelay.toPeer(peer.port, certificate)
    const { status, body } = await trunkline.adminApi('PUT', `/carriers/${name}`, {
      host: 'localhost',
      port: relay.port,
      transport: 'tls',
      prefixes: ['+1777'],
      ...more,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    return {
      peer,
      [Symbol.asyncDispose]: async () => {
        await trunkline.adminApi('DELETE', `/carriers/${name}`)
        await relay[Symbol.asyncDispose]()
        peer[Symbol.dispose]()
      },
    }
  }

  const call = async () => {
    const { sid } = await trunkline.createCall({
      To: '+17775550001',
      From: '+15551110000',
      Markup: '<Response/>',
      StatusCallback: `${app.url}/status`,
    })
    const callbacks = await app.completed(sid)
    return { sid, status: callbacks[0]?.['CallStatus'] }
  }

  it('gets the call when its certificate is for its host', async () => {
    await using right = await carrier('right', ['DNS:localhost'])
    expect((await call()).status).toBe('busy')
    const invite = await right.peer.request('INVITE')
    expect(headerOf(invite, 'via')).toMatch(/^SIP\/2\.0\/TLS /)
    expect(headerOf(invite, 'contact')).toContain(';transport=tls>')
  })

  it('of another name gets nothing: 32011 is told, and the next carrier has the call', async () => {
    await using wrong = await carrier('wrong', ['DNS:other.example'], { priority: 1 })
    await using right = await carrier('right', ['DNS:localhost'], { priority: 2 })
    const { sid, status } = await call()
    expect(status).toBe('busy')
    expect(right.peer.of('INVITE')).toHaveLength(1)
    expect(wrong.peer.requests).toEqual([])
    await expect.poll(() => eventsOf(sid), POLL).toMatch(/32011.*certificate is for another name/)
  })

  it('is the way for SRTP: one over UDP gets no keys, and 32208 is told', async () => {
    await using clear = await carrier('clear', ['DNS:localhost'], {
      priority: 2,
      secureMedia: true,
    })
    using open = await CarrierPeer.open(() => ({ status: 486 }))
    const udp = { host: '127.0.0.1', port: open.port, prefixes: ['+1777'], secureMedia: true }
    await trunkline.adminApi('PUT', '/carriers/open', { ...udp, priority: 1 })
    const { sid, status } = await call()
    await trunkline.adminApi('DELETE', '/carriers/open')
    expect(status).toBe('busy')
    expect(open.requests).toEqual([])
    expect((await clear.peer.request('INVITE')).body).toMatch(/RTP\/SAVP.*a=crypto/s)
    await expect.poll(() => eventsOf(sid), POLL).toContain('32208')
  })
})

describe('the certificate', () => {
  it('is renewed without a restart; the softphone that is registered stays', async () => {
    await using phone = await securePhone('bob')
    const before = await wayOf('bob')
    install(await authority.issue('second', ['IP:127.0.0.1', 'DNS:secure.example']))
    await waitUntil('it is shown', async () => (await shownSubject()) === 'second', 30_000)
    const { sid } = await trunkline.createCall({
      To: 'client:bob',
      From: '+15551112222',
      Markup: '<Response/>',
      StatusCallback: `${app.url}/status`,
    })
    const callbacks = await app.completed(sid)
    expect(callbacks[0]?.['CallStatus'], phone.printed()).toBe('completed')
    expect(await wayOf('bob')).toBe(before)
  })
})
