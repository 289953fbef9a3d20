import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { accountCommand } from '../support/process/command-line.js'
import { freePort } from '../support/process/free-port.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { tempFolder } from '../support/process/temp-folder.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { CarrierPeer } from '../support/sip/carrier-peer.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { readCapture } from '../support/sip/tshark.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

const LIMIT_MS = 20_000
const SECRET = 'a secret of the trunk'

let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await startTrunkline()
  app = await startVoiceApp()
  app.page('/voice', '<Pause length="30"/>')
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})
afterEach(async () => {
  await trunkline.adminApi('DELETE', '/carriers/acme')
  await expectNothingLeft(trunkline)
})

/** Runs `trunkline logs` with these arguments. */
const logs = (...args: string[]) => accountCommand(trunkline, 'logs', ...args)

interface Row {
  readonly from: string
  readonly to: string
  readonly text: string
}

/** Returns the rows of the ladder, each party by the name that `names` has for its place. */
async function ladder(sid: string, names: Readonly<Record<string, string>>): Promise<string[]> {
  const nameOf = (party: string) =>
    Object.entries(names).find(([place]) => party.endsWith(place))?.[1] ?? party
  return (await logs(sid, '--sip', '--json'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
    .map(({ from, to, text }) => `${nameOf(from)} → ${nameOf(to)}: ${text}`)
}

async function over(sid: string): Promise<void> {
  const isOver = async () =>
    ['failed', 'no-answer', 'completed', 'canceled', 'busy'].includes(
      (await trunkline.fetchCall(sid)).status,
    )
  await waitUntil('the call is over', isOver, LIMIT_MS)
}

/** Calls a number through the carrier `acme`; resolves with the call's sid after its end. */
async function callThrough(carrier: object): Promise<string> {
  const auth = { username: 'acme-user', password: SECRET }
  const put = await trunkline.adminApi('PUT', '/carriers/acme', {
    ...{ prefixes: ['+1555'], auth },
    ...carrier,
  })
  expect(put.status, JSON.stringify(put.body)).toBe(200)
  const { sid } = await trunkline.createCall({
    ...{ To: '+15557770001', From: '+15551110000', Url: `${app.url}/voice`, Timeout: '5' },
  })
  await over(sid)
  return sid
}

it('says that a carrier refused the connection, and did not answer itself', async () => {
  const port = await freePort()
  const sid = await callThrough({ host: '127.0.0.1', port })
  const out = await logs(sid)
  expect(out).toContain(`→ INVITE  (CSeq: `)
  expect(out).toContain(`  to udp 127.0.0.1:${String(port)} (carrier acme)`)
  expect(out).toMatch(
    /← 503 Service Unavailable {2}.*made by our own stack: the connection was refused, or the network cannot reach it/,
  )
  expect(await logs(sid, '--sip')).toMatch(
    /┄ 503 Service Unavailable ┄.* {2}made by our own stack: the connection was refused/,
  )
})

it('says that the host of a carrier has no address', async () => {
  const out = await logs(await callThrough({ host: 'nobody.invalid', port: 5060 }))
  expect(out).toContain('the host of carrier acme has no address')
  expect(out).toContain('failed (SIP 404)  made by our own stack: no route to the called party')
})

it('says that a carrier did not answer in time', async () => {
  using silent = await CarrierPeer.open(() => undefined)
  const out = await logs(await callThrough({ host: '127.0.0.1', port: silent.port }))
  expect(out).toContain('no-answer (SIP 408)  made by our own stack: no response came in time')
})

it.each([
  [488, 'compare `codecs` and `secureMedia` of the carrier'],
  [401, 'give the carrier `auth`'],
  [404, 'the other side does not know the number'],
])('says what to do about a %i of a carrier', async (status, remedy) => {
  using carrier = await CarrierPeer.open(() => ({ status }))
  const out = await logs(await callThrough({ host: '127.0.0.1', port: carrier.port }))
  expect(out).toMatch(new RegExp(`← ${String(status)} .*\n +remedy: ${remedy}`))
  expect(out).toContain(`failed (SIP ${String(status)})`)
})

it('shows that a second carrier was tried after the first refused', async () => {
  using full = await CarrierPeer.open(() => ({ status: 503 }))
  using good = await CarrierPeer.open(() => ({ status: 486 }))
  const spare = { host: '127.0.0.1', port: good.port, prefixes: ['+1555'], priority: 20 }
  expect((await trunkline.adminApi('PUT', '/carriers/spare', spare)).status).toBe(200)
  const sid = await callThrough({ host: '127.0.0.1', port: full.port, priority: 10 })
  await trunkline.adminApi('DELETE', '/carriers/spare')
  const out = await logs(sid)
  expect(out).toMatch(
    /→ INVITE .*\(carrier acme\)[^]*← 503 [^]*remedy: [^]*→ INVITE .*\(carrier spare\)[^]*← 486 /,
  )
  expect(out).toContain('busy (SIP 486)')
})

it('says nothing of the kind about a response of the carrier', async () => {
  using busy = await CarrierPeer.open(() => ({ status: 486 }))
  const sid = await callThrough({ host: '127.0.0.1', port: busy.port })
  expect(await logs(sid)).not.toContain('made by')
  const { body } = await trunkline.api('GET', `/Calls/${sid}/Events.json`)
  const events = body['events'] as { kind: string; detail: Record<string, unknown> }[]
  const steps = events.filter(({ kind }) => kind === 'sip').map(({ detail }) => detail)
  const [invite, refusal] = steps
  const peer = { transport: 'udp', host: '127.0.0.1', port: busy.port }
  const callId = expect.any(String) as string
  expect(invite).toMatchObject({ peer, carrier: 'acme', callId })
  expect(invite?.['requestUri']).toMatch(/^sip:\+?15557770001@127\.0\.0\.1/)
  expect(refusal).toMatchObject({
    peer,
    carrier: 'acme',
    madeBy: 'peer',
    callId: invite?.['callId'],
  })
})

it('draws a re-INVITE, a transfer and a CANCEL between all parties, and writes them as a capture', async () => {
  using caller = await SipPeer.open()
  using phone = await SipPeer.open()
  using third = await SipPeer.open()
  app.page('/moved', `<Dial><Sip>${third.uri('third')}</Sip></Dial>`)
  const { sid } = await trunkline.createCall({
    To: caller.uri('caller'),
    From: '+15551112222',
    SipAuthUsername: 'someone',
    SipAuthPassword: SECRET,
    Markup: `<Response><Dial referUrl="${app.url}/moved"><Sip>${phone.uri('phone')}</Sip></Dial></Response>`,
  })
  const first = await caller.nextCall(LIMIT_MS)
  await first.answer()
  const held = await phone.nextCall(LIMIT_MS)
  await held.answer()
  held.reinvite(phone.sdp({ version: 2, direction: 'sendonly' }))
  await held.response(200, 'INVITE', LIMIT_MS)
  held.refer('sip:agent@198.51.100.7')
  await held.response(202, 'REFER', LIMIT_MS)
  const moved = await third.nextCall(LIMIT_MS)
  moved.ring()
  const rings = async () => (await logs(sid, '--sip')).includes('180 Ringing')
  await waitUntil('the third phone is known to ring', rings, LIMIT_MS)
  first.bye()
  await moved.request('CANCEL', LIMIT_MS)
  moved.respond(487, 'Request Terminated')
  await over(sid)
  await expectNothingLeft(trunkline)

  const parties = [
    [caller, 'caller'],
    [phone, 'phone'],
    [third, 'third'],
  ] as const
  const names = Object.fromEntries(parties.map(([peer, name]) => [`:${String(peer.port)}`, name]))
  const rows = await ladder(sid, names)
  // The order of messages of different parties depends on the machine.
  const between = (party: string) =>
    rows
      .filter((row) => row.includes(`${party} `) || row.includes(`${party}:`))
      .map((row) => row.replace(/^trunkline → \w+: /, '→ ').replace(/^\w+ → trunkline: /, '← '))
  expect(between('caller')).toEqual(['→ INVITE', '← 200 OK', '→ ACK', '← BYE'])
  expect(between('phone')).toEqual([
    ...['→ INVITE', '← 200 OK', '→ ACK', '← re-INVITE', '→ 200 OK', '← ACK'],
    ...['← REFER sip:agent@198.51.100.7', '→ 202 Accepted (REFER)'],
    ...['→ NOTIFY 100 Trying', '→ NOTIFY 200 OK', '→ BYE'],
  ])
  expect(between('third')).toEqual([
    ...['→ INVITE', '← 180 Ringing', '→ CANCEL', '← 487 Request Terminated'],
  ])

  using folder = tempFolder()
  const path = join(folder.path, 'call.pcap')
  expect(await logs(sid, '--pcap', path)).toMatch(/: \d+ SIP messages\n$/)
  const packets = await readCapture(path)
  expect(packets.map(({ source, summary }) => `${source} ${summary}`)).toContain(
    `127.0.0.1 ${String(phone.port)} REFER`,
  )
  expect(packets).toHaveLength(rows.length)
  for (const text of [await readFile(path, 'latin1'), await logs(sid), await logs(sid, '--json')])
    expect(text).not.toContain(SECRET)
})
