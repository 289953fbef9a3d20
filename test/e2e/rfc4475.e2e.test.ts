import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVALID } from '../fixtures/rfc4475/invalid.js'
import { SEMANTICS } from '../fixtures/rfc4475/semantics.js'
import { NUMBER, type TortureMessage } from '../fixtures/rfc4475/torture-message.js'
import { VALID } from '../fixtures/rfc4475/valid.js'
import { expectNothingLeft } from '../support/process/nothing-left.js'
import { errorsIn } from '../support/process/process-memory.js'
import { joinTrunkline } from '../support/process/shared-trunkline.js'
import type { RunningTrunkline } from '../support/process/trunkline.js'
import { SipPeer } from '../support/sip/sip-peer.js'
import { headerOf, type PeerMessage, writeMessage } from '../support/sip/sip-peer-message.js'
import { openUdpPeer, type UdpPeer } from '../support/sip/udp-peer.js'
import { waitUntil } from '../support/time/wait-until.js'
import { startVoiceApp, type VoiceApp } from '../support/voice/voice-app.js'

/** Each message of RFC 4475 at the whole server, from an address that may call. */
let trunkline: RunningTrunkline
let app: VoiceApp

beforeAll(async () => {
  trunkline = await joinTrunkline()
  app = await startVoiceApp()
  app.page('/voice', '<Say>Hello.</Say><Pause length="60"/>')
  await trunkline.assignNumber(`+${NUMBER}`, {
    voiceUrl: `${app.url}/voice`,
    statusCallback: `${app.url}/status`,
  })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await trunkline[Symbol.asyncDispose]()
})

const statusOf = (text: string) => Number(/^SIP\/2\.0 (\d{3})/.exec(text)?.[1] ?? 0)
const lineOf = (text: string, name: string) =>
  new RegExp(`^(?:${name})[ \\t]*:[ \\t]*(.*)\\r$`, 'im').exec(text)?.[1] ?? ''

/** A final response to this request; ACK and BYE end what a 200 to an INVITE began. */
async function answerTo(request: string, peer: UdpPeer): Promise<string> {
  const final = await peer.take((text) => statusOf(text) >= 200)
  if (statusOf(final) !== 200 || !request.startsWith('INVITE')) return final
  for (const [number, method] of ['ACK', 'BYE'].entries()) {
    const sequence = Number.parseInt(lineOf(final, 'CSeq'), 10) + number
    peer.send(
      writeMessage(
        `${method} sip:${NUMBER}@127.0.0.1 SIP/2.0`,
        [
          ['Via', `SIP/2.0/UDP 127.0.0.1:${String(peer.port)};branch=z9hG4bK${method}${peer.port}`],
          ['Max-Forwards', '70'],
          ['From', lineOf(final, 'From')],
          ['To', lineOf(final, 'To')],
          ['Call-ID', lineOf(final, 'Call-ID')],
          ['CSeq', `${String(sequence)} ${method}`],
        ],
        '',
      ),
      trunkline.sipPort,
    )
  }
  await peer.take((text) => lineOf(text, 'CSeq').endsWith('BYE') && statusOf(text) === 200)
  return final
}

async function expectNormalAnswer(round: number): Promise<void> {
  await using peer = await openUdpPeer()
  const text = writeMessage(
    `OPTIONS sip:${NUMBER}@127.0.0.1 SIP/2.0`,
    [
      ['Via', `SIP/2.0/UDP 127.0.0.1:${String(peer.port)};branch=z9hG4bKnormal${String(round)}`],
      ['Max-Forwards', '70'],
      ['From', '<sip:caller@lab.example>;tag=normal'],
      ['To', `<sip:${NUMBER}@trunk.example>`],
      ['Call-ID', `normal-${String(round)}-${String(peer.port)}`],
      ['CSeq', '1 OPTIONS'],
    ],
    '',
  )
  peer.send(text, trunkline.sipPort)
  expect(statusOf(await peer.take((answer) => statusOf(answer) >= 200))).toBe(200)
}

describe('RFC 4475 at the whole server [A1]', () => {
  let round = 0
  it.each(
    [...VALID, ...INVALID, ...SEMANTICS].map((each): [string, string, TortureMessage] => [
      each.section,
      each.title,
      each,
    ]),
  )('%s %s: answered as owed, and so is a normal request', async (_section, _title, message) => {
    await using peer = await openUdpPeer()
    const bytes = message.bytes(peer.port)
    peer.send(bytes, trunkline.sipPort)
    if (message.answered === 'nothing') {
      await expectNormalAnswer(round++)
      expect(peer.received.map(String)).toEqual([])
    } else {
      const final = await answerTo(bytes.toString(), peer)
      expect(statusOf(final)).toBe(message.answered)
      // RFC 3261 §8.2.1.
      if (message.answered === 405) expect(lineOf(final, 'Allow')).toContain('INVITE')
      await expectNormalAnswer(round++)
    }
    await expectNothingLeft(trunkline)
  })

  it('made one call of each INVITE to a number that there is, and no error', async () => {
    const { calls } = (await trunkline.api('GET', '/Calls.json')).body as {
      readonly calls: readonly { readonly status: string }[]
    }
    expect(calls.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    expect(errorsIn(trunkline)).toEqual([])
  })
})

describe('an INVITE without Contact, as RFC 2543 allowed (RFC 4475 §3.4.1)', () => {
  it('makes a call that we can hang up: our BYE comes to where it was sent from', async () => {
    const peer = await SipPeer.open()
    const callId = `no-contact-${String(peer.port)}`
    const text = writeMessage(
      `INVITE sip:${NUMBER}@127.0.0.1 SIP/2.0`,
      [
        ['Via', `SIP/2.0/UDP old.lab.example:${String(peer.port)}`],
        ['From', '<sip:+15005550100@old.lab.example;user=phone>'],
        ['To', `<sip:${NUMBER}@trunk.example;user=phone>`],
        ['Call-ID', callId],
        ['CSeq', '56 INVITE'],
        ['Content-Type', 'application/sdp'],
      ],
      peer.sdp(),
    )
    peer.send(text, trunkline.sipPort)
    const seen = async (what: string, look: (message: PeerMessage) => boolean) => {
      await waitUntil(
        what,
        () => peer.log.some(look),
        15_000,
        () => peer.seen(),
      )
      return peer.log.find(look) ?? peer.log[0]
    }
    const ok = await seen('200', ({ status }) => status === 200)
    if (ok === undefined) throw new Error('unreachable')
    peer.send(
      writeMessage(
        `ACK sip:${NUMBER}@127.0.0.1 SIP/2.0`,
        [
          ['Via', `SIP/2.0/UDP old.lab.example:${String(peer.port)}`],
          ['From', headerOf(ok, 'from')],
          ['To', headerOf(ok, 'to')],
          ['Call-ID', callId],
          ['CSeq', '56 ACK'],
        ],
        '',
      ),
      trunkline.sipPort,
    )
    // The callback of a call before may still come.
    const asked = () => app.sink.requests.filter(({ target }) => target === '/voice')
    const sid = () => new Map(asked().at(-1)?.params).get('CallSid') ?? ''
    const isUp = async () => (await trunkline.fetchCall(sid())).status === 'in-progress'
    await waitUntil('the call is in progress', isUp, 15_000)
    const ended = sid()
    await trunkline.api('POST', `/Calls/${ended}.json`, { Status: 'completed' })
    const bye = await seen('BYE', ({ method }) => method === 'BYE')
    if (bye === undefined) throw new Error('unreachable')
    expect(bye.startLine).toMatch(/^BYE sip:\+15005550100@old\.lab\.example/)
    peer.send(
      writeMessage(
        'SIP/2.0 200 OK',
        ['via', 'from', 'to', 'call-id', 'cseq'].map((name) => [name, headerOf(bye, name)]),
        '',
      ),
      trunkline.sipPort,
    )
    expect((await app.completed(ended)).map((params) => params['CallStatus'])).toEqual([
      'completed',
    ])
    await expectNothingLeft(trunkline)
    peer.close()
  })
})
