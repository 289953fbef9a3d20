import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lab } from '../../src/lab/start-lab.js'
import { openLab } from '../support/media/lab.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { writeMessage } from '../support/sip/sip-peer-message.js'
import { openUdpPeer } from '../support/sip/udp-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/**
 * Signalling servers that are not the product's own lab, so that this machine is no carrier: only the
 * address that the operator names may call.
 */
const CARRIER = '127.0.0.2'
const SERVICE = '15551112222'

let lab: Lab
let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  lab = await openLab()
  trunkline = await startTrunkline({
    DRACHTIO_URL: lab.drachtioUrl,
    FREESWITCH_URL: lab.freeswitchUrl,
  })
  app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say>')
  await trunkline.assignNumber(`+${SERVICE}`, { voiceUrl: `${app.url}/voice` })
  const carrier = { host: CARRIER, port: 5060, prefixes: ['+44'], addresses: [`${CARRIER}/32`] }
  const put = await trunkline.adminApi('PUT', '/carriers/acme', carrier)
  expect(put.status).toBe(200)
  await waitUntil('both servers are up', async () => (await ready()) === 200, 15_000)
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
  await lab[Symbol.asyncDispose]()
})

const ready = async () => (await fetch(`${trunkline.http}/readyz`)).status

function request(method: string, address: string, port: number, index: number): string {
  return writeMessage(
    `${method} sip:${String(100 + index)}@127.0.0.1:${String(lab.sipPort)} SIP/2.0`,
    [
      [
        'Via',
        `SIP/2.0/UDP ${address}:${String(port)};branch=z9hG4bK${method}${String(index)};rport`,
      ],
      ['Max-Forwards', '70'],
      ['From', `<sip:100@${address}>;tag=${String(index)}`],
      ['To', `<sip:${String(100 + index)}@127.0.0.1>`],
      ['Call-ID', `${method}-${String(index)}-${String(port)}`],
      ['CSeq', `1 ${method}`],
      ['Contact', `<sip:100@${address}:${String(port)}>`],
      ['User-Agent', 'Grandstream GXP2170 1.0.11.64'],
    ],
    '',
  )
}

describe('a sweep with an ordinary User-Agent from an address that is no carrier', () => {
  it('of INVITE gets 403, then less and less, and makes no call [B12]', async ({ task }) => {
    const probes = 200
    await using scanner = await openUdpPeer('127.0.0.1')
    for (let index = 0; index < probes; index++)
      scanner.send(request('INVITE', '127.0.0.1', scanner.port, index), lab.sipPort)
    const finals = () =>
      scanner.received
        .map((bytes) => Number(/^SIP\/2\.0 (\d{3})/.exec(bytes.toString())?.[1]))
        .filter((status) => status >= 200)
    await waitUntil('a refusal', () => finals().includes(503), 15_000, finals)
    await using carrier = await openUdpPeer(CARRIER)
    carrier.send(request('OPTIONS', CARRIER, carrier.port, 98), lab.sipPort)
    await carrier.take((text) => text.startsWith('SIP/2.0 2'))
    expect(new Set(finals())).toEqual(new Set([403, 503]))
    const refused = new Set(
      scanner.received
        .map((bytes) => bytes.toString())
        .filter((text) => /^SIP\/2\.0 [45]/.test(text))
        .map((text) => /^Call-ID: (.*)\r$/im.exec(text)?.[1]),
    )
    expect(refused.size).toBeLessThan(probes / 2)
    expect((await trunkline.api('GET', '/Calls.json')).body['calls']).toEqual([])
    expect(app.sink.requests).toEqual([])
    await expectNothingLeft(trunkline)
    reportRow(task, 'B12', {
      'INVITEs of a stranger': probes,
      'of them refused with a word': refused.size,
    })
  })

  it.each([
    'OPTIONS',
    'REGISTER',
    'MESSAGE',
    'SUBSCRIBE',
  ])('of %s hears nothing, and nobody is asked [B12]', async (method) => {
    await using scanner = await openUdpPeer('127.0.0.1')
    await using carrier = await openUdpPeer(CARRIER)
    for (let index = 0; index < 20; index++)
      scanner.send(request(method, '127.0.0.1', scanner.port, index), lab.sipPort)
    // In order: this answer comes after all of the above were read.
    carrier.send(request('OPTIONS', CARRIER, carrier.port, 99), lab.sipPort)
    expect(await carrier.take((text) => text.startsWith('SIP/2.0 2'))).toContain('Allow:')
    expect(scanner.received.map(String)).toEqual([])
    expect((await trunkline.api('GET', '/Calls.json')).body['calls']).toEqual([])
    expect(app.sink.requests).toEqual([])
  })
})
