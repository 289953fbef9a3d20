import { describe, expect, it, vi } from 'vitest'
import {
  getAddresses,
  getHeader,
  getListValues,
} from '../../../../../src/lab/sip/message/headers.js'
import { makeResponse } from '../../../../../src/lab/sip/message/make-response.js'
import { readMessage } from '../../../../../src/lab/sip/message/read-message.js'
import type { SipMessage } from '../../../../../src/lab/sip/message/types.js'
import { judgeRequest, judgeResponse } from '../../../../../src/lab/sip/message/validate.js'
import { writeMessage } from '../../../../../src/lab/sip/message/write-message.js'
import { answerOffer, readAnswer } from '../../../../../src/lab/sip/sdp/sdp-answer.js'
import type { Logger } from '../../../../../src/platform/log.js'
import { parseChallenge, parseCredentials } from '../../../../../src/platform/sip-digest/digest.js'
import { formatNameAddr, parseNameAddr } from '../../../../../src/platform/sip-grammar/name-addr.js'
import { formatUri, parseUri } from '../../../../../src/platform/sip-grammar/uri.js'
import { SDP } from '../../../../fixtures/rfc4475/torture-message.js'
import { mutatedStream, pick, SIP_CORPUS } from '../../../../support/sip/sip-corpus.js'
import { mutate, seededRandom } from '../../../../support/sip/sip-fuzz.js'
import { requestTo } from '../../../../support/sip/sip-messages.js'
import {
  contactOf,
  finalStatus,
  openStack,
  RecordingUser,
  send,
} from '../../../../support/sip/sip-stacks.js'
import { readStream, readWhole } from '../../../../support/sip/stream-parity.js'
import { openUdpPeer } from '../../../../support/sip/udp-peer.js'

/** Another series with SIP_FUZZ_SEED; a failure names the seed of its one message. */
const SEED = Number(process.env['SIP_FUZZ_SEED'] ?? 20_261_120)
const MUTATIONS = 20_000

const SDP_CORPUS: readonly string[] = [
  SDP,
  SDP.replace('RTP/AVP 0', 'RTP/AVP 0 8 101').replace(
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\na=fmtp:101 0-16\r\na=ptime:20\r\na=sendrecv',
  ),
  `${SDP}m=video 0 RTP/AVP 99\r\na=rtpmap:99 H264/90000\r\nm=audio 40002 RTP/SAVP 8\r\na=inactive\r\n`,
]

/** Runs with its own seed for each round, and names it when one fails. */
function eachSeed(rounds: number, run: (random: () => number) => void): void {
  for (let round = 0; round < rounds; round++) {
    const seed = SEED + round
    try {
      run(seededRandom(seed))
    } catch (error) {
      throw new Error(`failed with SIP_FUZZ_SEED=${String(seed)}`, { cause: error })
    }
  }
}

/** Everything that the layers above do with a message. */
function exercise(message: SipMessage): void {
  for (const name of ['Via', 'Contact', 'Route', 'Require', 'Accept']) {
    getListValues(message, name)
    for (const address of getAddresses(message, name) ?? []) {
      const uri = parseUri(address.uri)
      if (uri !== undefined) expect(parseUri(formatUri(uri))).toEqual(uri)
      expect(parseNameAddr(formatNameAddr(address))).toEqual(address)
    }
  }
  const authorization = getHeader(message, 'Authorization') ?? ''
  parseCredentials(authorization)
  parseChallenge(authorization)
}

// Much to compute: how long it takes is the machine's affair.
describe('mutated messages', { timeout: 120_000 }, () => {
  it(`are read, judged and written, ${String(MUTATIONS)} of them`, () => {
    let accepted = 0
    eachSeed(MUTATIONS, (random) => {
      const bytes = mutate(pick(SIP_CORPUS, random), random)
      const reading = readMessage(bytes, 'datagram')
      if (reading.type !== 'message') return
      const { message, flaw } = reading
      expect(reading.length).toBeLessThanOrEqual(bytes.length)
      const isRequest = message.kind === 'request'
      const verdict = isRequest ? judgeRequest(message, flaw) : judgeResponse(message, flaw)
      if (verdict.type !== 'accept') return
      accepted++
      exercise(message)
      const written = writeMessage(message)
      const again = readMessage(written, 'stream')
      expect(again).toMatchObject({ type: 'message', length: written.length, flaw: undefined })
    })
    // Else the mutations are too wild to reach what lies behind the parser.
    expect(accepted).toBeGreaterThan(MUTATIONS / 20)
  })

  it('have the same length for a stream, however it is cut, as for the parser [A3]', () => {
    eachSeed(MUTATIONS, (random) => {
      const bytes = mutatedStream(random)
      expect(readStream(bytes, random)).toEqual(readWhole(bytes))
    })
  })

  it(`of descriptions are answered or refused, ${String(MUTATIONS)} of them`, () => {
    const local = { address: '127.0.0.1', port: 4_000, sessionId: 1 }
    eachSeed(MUTATIONS, (random) => {
      const sdp = mutate(Buffer.from(pick(SDP_CORPUS, random)), random).toString()
      answerOffer(sdp, local)
      readAnswer(sdp)
    })
  })
})

describe('a stack under mutated messages [A2]', () => {
  it('goes on answering', { timeout: 120_000 }, async () => {
    const error = vi.fn()
    // The stack logs nothing else; pino's type has forty members more.
    const log = { debug: () => undefined, error } as unknown as Logger
    await using stack = await openStack({ timing: {}, log })
    await using probe = await openStack({ timing: {} })
    await using peer = await openUdpPeer()
    stack.setUser(
      new RecordingUser((transaction) => {
        transaction.respond(makeResponse(200))
        transaction.ackReceived()
      }),
    )
    const random = seededRandom(SEED)
    const to = contactOf(stack, 'udp')
    for (let batch = 0; batch < 100; batch++) {
      for (let i = 0; i < 50; i++) peer.send(mutate(pick(SIP_CORPUS, random), random), to.port)
      const options = await send(
        probe,
        requestTo(to, 'OPTIONS', { callId: `probe-${String(batch)}` }),
      )
      expect(await finalStatus(options), `SIP_FUZZ_SEED=${String(SEED)}`).toBe(200)
      peer.received.length = 0
    }
    expect(stack.stats().messagesReceived).toBeGreaterThan(4_000)
    expect(error.mock.calls, `SIP_FUZZ_SEED=${String(SEED)}`).toEqual([])
  })
})
