import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { accountCommand } from '../support/process/command-line.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf } from '../support/sip/sip-peer-message.js'
import { readCapture } from '../support/sip/tshark.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Whole SIP messages: off, of an account, of a number; their credentials are nowhere. */
const LIMIT_MS = 20_000
const PASSWORD = 'Spassword0815'
const FROM = '+15005550000'

let trunkline: RunningTrunkline
let app: VoiceApp
let peer: SipPeer

beforeAll(async () => {
  trunkline = await startTrunkline({ LOG_LEVEL: 'trace' })
  app = await startVoiceApp()
  peer = await SipPeer.open()
  app.page('/voice', '<Hangup/>')
})
afterAll(async () => {
  peer.close()
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
beforeEach(() => set({ keepSipMessages: null, keepSipMessagesOf: null }))

const logs = (...args: string[]) => accountCommand(trunkline, 'logs', ...args)

async function set(settings: Readonly<Record<string, unknown>>): Promise<void> {
  const path = `/accounts/${trunkline.account.sid}`
  const { status, body } = await trunkline.adminApi('PATCH', path, { settings })
  expect(status, JSON.stringify(body)).toBe(200)
}

/** Calls the peer, which asks for credentials, and resolves with the sid and the digest of the retry. */
async function call(): Promise<{ readonly sid: string; readonly digest: string }> {
  const { sid } = await trunkline.createCall({
    To: peer.uri('someone'),
    From: FROM,
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/status`,
    SipAuthUsername: 'ann',
    SipAuthPassword: PASSWORD,
  })
  const incoming = await peer.nextCall(LIMIT_MS)
  const challenge = 'Digest realm="test", nonce="abc", algorithm=MD5'
  incoming.respond(401, 'Unauthorized', { headers: [['WWW-Authenticate', challenge]] })
  const retry = () =>
    incoming.log.find((each) => each.method === 'INVITE' && headerOf(each, 'authorization') !== '')
  await waitUntil('the INVITE comes again', () => retry() !== undefined, LIMIT_MS)
  await incoming.answer(peer.sdp(), retry())
  await app.completed(sid, LIMIT_MS)
  const [, digest = ''] =
    /response="(\w+)"/.exec(headerOf(retry() ?? incoming.invite, 'authorization')) ?? []
  expect(digest).toMatch(/^[0-9a-f]{32}$/)
  return { sid, digest }
}

it('keeps no whole message unless the operator turns it on', async () => {
  const { sid } = await call()
  expect(await logs(sid, '--sip', '--full')).toMatch(/^no whole messages/)
})

it.each([
  ['an account', { keepSipMessages: true }],
  ['a number', { keepSipMessagesOf: [FROM] }],
])('keeps the whole messages of %s without their credentials', async (_whose, settings) => {
  await set(settings)
  const { sid, digest } = await call()
  const full = await logs(sid, '--sip', '--full')
  const starts = full
    .split('\n')
    .filter((line) => /^ {4}(?:[A-Z]+ sip:\S+ SIP\/2\.0|SIP\/2\.0 .*)$/.test(line))
    .map((line) => line.trim().replace(/ sip:.*/, ''))
  const ours = starts.filter((line) => line !== 'SIP/2.0 100 Trying')
  expect(ours).toEqual(
    expect.arrayContaining(['INVITE', 'SIP/2.0 401 Unauthorized', 'SIP/2.0 200 OK', 'ACK', 'BYE']),
  )
  expect(ours.filter((line) => line === 'INVITE')).toHaveLength(2)
  expect(full).toContain('    Authorization: Digest realm="test"\n')
  expect(full).toContain('    m=audio ')

  using folder = tempFolder()
  const path = join(folder.path, 'call.pcap')
  await logs(sid, '--pcap', path)
  const packets = await readCapture(path)
  expect(packets.map(({ summary }) => summary)).toContain('BYE')
  expect(await readFile(path, 'latin1')).toContain('m=audio ')
  expect(await readFile(path, 'latin1')).not.toContain('rebuilt from the event log')

  const events = await trunkline.api('GET', `/Calls/${sid}/Events.json?PageSize=1000`)
  const written = {
    'the REST events': JSON.stringify(events.body),
    'the whole messages': full,
    'the whole messages as JSON': await logs(sid, '--sip', '--full', '--json'),
    'the ladder': await logs(sid, '--sip'),
    'the timeline': await logs(sid),
    'the timeline as JSON': await logs(sid, '--json'),
    'the capture': await readFile(path, 'latin1'),
    "the server's log": trunkline.server.log(),
  }
  for (const [where, text] of Object.entries(written))
    for (const secret of [PASSWORD, digest, trunkline.account.secret])
      expect(text.includes(secret), `${secret} in ${where}`).toBe(false)
})

it('keeps the messages of an inbound call from its INVITE to its end', async () => {
  const number = '+15552224444'
  await set({ keepSipMessagesOf: [number] })
  await trunkline.assignNumber(number, { voiceUrl: `${app.url}/voice` })
  const incoming = peer.call(trunkline.sipPort, { user: number.slice(1) })
  await incoming.response(200, 'INVITE', LIMIT_MS)
  incoming.ack()
  await incoming.request('BYE', LIMIT_MS)
  const path = `/Calls.json?To=${encodeURIComponent(number)}`
  const sidOf = async () => {
    const [found] = (await trunkline.api('GET', path)).body['calls'] as { sid: string }[]
    return found?.sid ?? ''
  }
  const full = async () => await logs(await sidOf(), '--sip', '--full')
  await waitUntil('the BYE is kept', async () => (await full()).includes('    BYE sip:'), LIMIT_MS)
  const lines = (await full()).split('\n').map((line) => line.trim())
  const starts = lines.filter((line) => / SIP\/2\.0$|^SIP\/2\.0 /.test(line))
  expect(starts[0]).toMatch(/^INVITE sip:15552224444@/)
  expect(starts).toContain('SIP/2.0 200 OK')
  expect(starts.some((line) => line.startsWith('ACK sip:'))).toBe(true)
})
