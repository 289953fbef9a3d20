import { createHash, randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountCommand } from '../support/process/command-line.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { RegisterClient } from '../support/sip/register-client.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { createSoftphoneDomain, PASSWORD } from '../support/sip/softphone-domain.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** A whole run in which every secret is used, and after it a search for each in everything written. */
const secret = () => `S${randomBytes(9).toString('hex')}`
const SECRETS = {
  SipAuthPassword: secret(),
  'a carrier password': secret(),
  'a speech token': secret(),
  'a recognition token': secret(),
  'a storage key': secret(),
  "a webhook URL's password": secret(),
  "a softphone's password": PASSWORD,
  "a softphone's wrong password": secret(),
}
const LIMIT_MS = 20_000
const folder = tempFolder()
const commandLog = join(folder.path, 'commands.log')

let trunkline: RunningTrunkline
let app: VoiceApp
let peer: SipPeer
let homer: Socket
/** Every copy of a SIP message that Homer got. */
const copies: string[] = []
/** Every body that either API answered with. */
const answers: string[] = []

beforeAll(async () => {
  homer = createSocket('udp4')
  homer.on('message', (packet) => copies.push(packet.toString('latin1')))
  homer.bind(0, '127.0.0.1')
  await once(homer, 'listening')
  trunkline = await startTrunkline({
    LOG_LEVEL: 'trace',
    LAB_COMMAND_LOG: commandLog,
    HEP_ADDRESS: `127.0.0.1:${String(homer.address().port)}`,
  })
  app = await startVoiceApp()
  peer = await SipPeer.open()
})
afterAll(async () => {
  peer.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  homer.close()
  folder[Symbol.dispose]()
})

async function ask(method: string, path: string, form?: Readonly<Record<string, string>>) {
  const answer = await trunkline.api(method, path, form)
  answers.push(JSON.stringify(answer.body))
  return answer
}

async function askAdmin(method: string, path: string, body?: unknown) {
  const answer = await trunkline.adminApi(method, path, body)
  answers.push(JSON.stringify(answer.body))
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
}

/** With the password in the URL, as an application behind Basic authentication has it. */
const guarded = (path: string) =>
  `${app.url.replace('http://', `http://user:${SECRETS["a webhook URL's password"]}@`)}${path}`

/** Stores the guarded URL wherever a URL is kept. */
async function storeGuardedUrls(): Promise<void> {
  const [voice, sms] = [guarded('/voice'), guarded('/sms')]
  await ask('POST', '/Applications.json', {
    VoiceUrl: voice,
    VoiceFallbackUrl: voice,
    StatusCallback: voice,
    MessageStatusCallback: voice,
    SmsUrl: sms,
    SmsFallbackUrl: sms,
  })
  await ask('POST', '/IncomingPhoneNumbers.json', {
    PhoneNumber: '+15552223333',
    VoiceUrl: voice,
    VoiceFallbackUrl: voice,
    StatusCallback: voice,
    SmsUrl: sms,
    SmsFallbackUrl: sms,
  })
  await ask('POST', '/SIP/Domains.json', {
    DomainName: 'guarded.test',
    VoiceUrl: voice,
    VoiceFallbackUrl: voice,
    VoiceStatusCallbackUrl: voice,
  })
  await ask('POST', '/OutgoingCallerIds.json', {
    PhoneNumber: '+15005550005',
    StatusCallback: voice,
  })
  await askAdmin('PATCH', `/accounts/${trunkline.account.sid}`, {
    settings: { voice: { url: voice, fallbackUrl: voice }, stt: { url: voice } },
  })
  const bearer = async (path: string, body: unknown) => {
    const answer = await fetch(`${trunkline.http}${path}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${trunkline.account.secret}`,
        'content-type': 'application/json',
        'idempotency-key': path,
      },
      body: JSON.stringify(body),
    })
    expect(answer.status, await answer.text()).toBe(200)
  }
  const webhookEndpoint = guarded('/registry')
  await bearer('/v2/csp/webhook/subscription', { eventCategory: 'BRAND', webhookEndpoint })
  await bearer('/v2.2/numbers/5552223333/sms', { type: 'webhook', resource: sms })
  for (const path of ['/Applications', '/IncomingPhoneNumbers', '/SIP/Domains'])
    await ask('GET', `${path}.json`)
}

async function useEverySecret(): Promise<string> {
  await storeGuardedUrls()
  await askAdmin('PATCH', `/accounts/${trunkline.account.sid}`, {
    settings: {
      tts: { token: SECRETS['a speech token'] },
      stt: { token: SECRETS['a recognition token'] },
      storage: { bucket: 'b', secretAccessKey: SECRETS['a storage key'] },
      keepSipMessages: true,
    },
  })
  await askAdmin('GET', `/accounts/${trunkline.account.sid}`)
  app.page('/voice', '<Say>Hello.</Say><Hangup/>')
  const sid = await callThrough({
    To: peer.uri('someone'),
    SipAuthUsername: 'ann',
    SipAuthPassword: SECRETS.SipAuthPassword,
  })
  // From here on the peer is called by number alone: a SIP URI that leads to a carrier is refused.
  await askAdmin('PUT', '/carriers/acme', {
    host: '127.0.0.1',
    port: peer.port,
    prefixes: ['+4420'],
    auth: { username: 'me', password: SECRETS['a carrier password'] },
  })
  await askAdmin('GET', '/carriers')
  await callThrough({ To: '+442012345678' })
  await registerSoftphone()
  return sid
}

/** Registers a softphone, with a wrong password first. */
async function registerSoftphone(): Promise<void> {
  const { name: domain } = await createSoftphoneDomain(trunkline, ['ann'], {
    DomainName: 'phones.test',
  })
  await using phone = await RegisterClient.open(trunkline.sipPort)
  const password = SECRETS["a softphone's wrong password"]
  expect((await phone.register({ domain, user: 'ann', password })).status).toBe(403)
  expect((await phone.register({ domain, user: 'ann', claims: 'sip:other.test' })).status).toBe(400)
  expect((await phone.register({ domain, user: 'ann' })).status).toBe(200)
  expect((await phone.register({ domain, user: 'ann', expires: 0 })).status).toBe(200)
  await ask('GET', '/SIP/Domains.json')
}

/** What an operator reads of a call, in every form, and of everything else. */
async function everythingShown(sid: string): Promise<Readonly<Record<string, string>>> {
  const logs = (...args: string[]) => accountCommand(trunkline, 'logs', sid, ...args)
  const capture = join(folder.path, 'call.pcap')
  await logs('--pcap', capture)
  const shown = async (path: string) => {
    const headers = { authorization: `Bearer ${trunkline.adminToken}` }
    return await (await fetch(`${trunkline.admin}${path}`, { headers })).text()
  }
  return {
    'the timeline': await logs(),
    'the timeline as JSON': await logs('--json'),
    'the ladder': await logs('--sip'),
    'the whole messages': await logs('--sip', '--full'),
    'the capture': readFileSync(capture, 'latin1'),
    metrics: await shown('/metrics'),
    'the refused requests': await shown('/refused-calls'),
    'copies for Homer': copies.join(''),
  }
}

/** Places a call to the peer, which asks for credentials and then takes it. */
async function callThrough(fields: Readonly<Record<string, string>>): Promise<string> {
  const answer = await ask('POST', '/Calls.json', {
    From: '+15005550000',
    Url: guarded('/voice'),
    StatusCallback: guarded('/status'),
    FallbackUrl: guarded('/voice'),
    Record: 'true',
    RecordingStatusCallback: guarded('/recorded'),
    MachineDetection: 'Enable',
    AsyncAmdStatusCallback: guarded('/amd'),
    ...fields,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  const call = await peer.nextCall(LIMIT_MS)
  call.respond(401, 'Unauthorized', {
    headers: [['WWW-Authenticate', 'Digest realm="test", nonce="abc", algorithm=MD5']],
  })
  const retry = () =>
    peer.log.find(
      (each) =>
        headerOf(each, 'call-id') === call.callId &&
        each.method === 'INVITE' &&
        headerOf(each, 'authorization') !== '',
    )
  await waitUntil(
    'the INVITE comes again',
    () => retry() !== undefined,
    LIMIT_MS,
    () => peer.seen(),
  )
  await call.answer(peer.sdp(), retry())
  const sid = String(answer.body['sid'])
  await app.completed(sid, LIMIT_MS)
  return sid
}

/** All that was written or sent, by where. */
function everythingWritten(): Readonly<Record<string, string>> {
  const files = readdirSync(join(trunkline.folder, 'data'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith('trunkline.db'))
    .map(({ name }) => readFileSync(join(trunkline.folder, 'data', name), 'latin1'))
  return {
    log: trunkline.server.log(),
    'API answers': answers.join('\n'),
    SIP: JSON.stringify(peer.log),
    'commands to the media server': readFileSync(commandLog, 'utf8'),
    'webhook bodies': JSON.stringify(
      app.sink.requests.map(({ target, params }) => [target, params]),
    ),
    database: files.join(''),
  }
}

describe('secrets', () => {
  it('that were used are found nowhere [C28]', async ({ task }) => {
    const sid = await useEverySecret()
    await ask('GET', `/Calls/${sid}.json`)
    await ask('GET', '/Calls.json')
    const events = await ask('GET', `/Calls/${sid}/Events.json`)
    expect(JSON.stringify(events.body)).toContain('INVITE')
    await askAdmin('GET', '/numbers')
    await expectNothingLeft(trunkline)

    const shown = await everythingShown(sid)
    expect(shown['the whole messages']).toContain('Authorization: Digest realm="test"\n')
    expect(shown['the refused requests']).toContain('REGISTER')

    const digests = peer.log.flatMap((each) => {
      const [, digest] = /response="(\w{32})"/.exec(headerOf(each, 'authorization')) ?? []
      return digest === undefined ? [] : [digest]
    })
    expect(digests.length).toBeGreaterThan(1)
    const { SIP: _peers, ...own } = everythingWritten()
    for (const [where, text] of Object.entries({ ...own, ...shown }))
      for (const digest of digests)
        expect(text.includes(digest), `a digest in ${where}`).toBe(false)

    const secrets = {
      ...SECRETS,
      "the account's": trunkline.account.secret,
      "the operator's": trunkline.adminToken,
    }
    const written = { ...everythingWritten(), ...shown }
    const found = Object.entries(written).flatMap(([where, text]) =>
      Object.entries(secrets)
        .filter(([, value]) => holds(text, value))
        .map(([name]) => `${name} in ${where}`),
    )
    reportRow(task, 'C28', {
      secrets: Object.keys(secrets).length,
      'KB searched': Math.round(Object.values(written).join('').length / 1_024),
      found: found.length,
    })
    // Each place has something in it, else nothing was searched.
    for (const [where, text] of Object.entries(written))
      expect(text.length, where).toBeGreaterThan(100)
    expect(found).toEqual([])
  })

  it('were really used: the peer was shown the right digest', () => {
    const shown = peer.log
      .map((each) => headerOf(each, 'authorization'))
      .filter((each) => each !== '')
    const digests = shown.map((each) => /response="([0-9a-f]+)"/.exec(each)?.[1])
    const invited = peer.log.find((each) => headerOf(each, 'authorization').includes('"ann"'))
    const uri = /uri="([^"]+)"/.exec(
      headerOf(invited ?? peer.log[0] ?? fail(), 'authorization'),
    )?.[1]
    expect(digests).toContain(
      md5(md5(`ann:test:${SECRETS.SipAuthPassword}`), 'abc', md5(`INVITE:${uri ?? ''}`)),
    )
  })

  it('leave a log whose every line is one JSON object [C27]', () => {
    // The last piece may be a line that is still being written.
    const lines = trunkline.server.log().split('\n').slice(0, -1)
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow()
  })
})

function holds(text: string, secret: string): boolean {
  // The second is how a user and a password travel in a header.
  return text.includes(secret) || text.includes(Buffer.from(`user:${secret}`).toString('base64'))
}

function md5(...parts: readonly string[]): string {
  return createHash('md5').update(parts.join(':')).digest('hex')
}

function fail(): never {
  throw new Error('the peer was sent nothing')
}
