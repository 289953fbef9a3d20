import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pidsOf, residentMb } from '../support/process/process-memory.js'
import { type RunningTrunkline, startTrunkline } from '../support/process/trunkline.js'
import { reportRow } from '../support/rows/rows.js'
import { mutatedStream } from '../support/sip/sip-corpus.js'
import { seededRandom } from '../support/sip/sip-fuzz.js'
import { rawRequest } from '../support/sip/sip-messages.js'
import { readStream, readWhole } from '../support/sip/stream-parity.js'
import { openTcpPeer } from '../support/sip/tcp-peer.js'

const SEED = Number(process.env['SIP_FUZZ_SEED'] ?? 20_261_122)
const CASES = 100_000
const CONNECTIONS = 500
/** What one connection may hold: a head that is not finished, in a buffer twice its size. */
const MB_PER_CONNECTION = 0.15
const VIA = 'SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK'

let trunkline: RunningTrunkline

beforeAll(async () => {
  trunkline = await startTrunkline({ LOG_LEVEL: 'warn' })
})
afterAll(() => trunkline[Symbol.asyncDispose]())

describe('a byte stream', () => {
  it(`is cut as the parser reads it, in ${String(CASES)} cases [A3]`, ({ task }) => {
    for (let round = 0; round < CASES; round++) {
      const random = seededRandom(SEED + round)
      const bytes = mutatedStream(random)
      const whole = readWhole(bytes)
      const pieces = readStream(bytes, random)
      if (whole.join('\0') !== pieces.join('\0'))
        expect(pieces, `SIP_FUZZ_SEED=${String(SEED + round)}`).toEqual(whole)
    }
    reportRow(task, 'A3', { 'cases in which both agree': CASES })
  })

  it.each<[string, (text: string) => string, string]>([
    ['a negative length', (text) => text.replace('Length: 0', 'Length: -1'), '400'],
    ['an immense length', (text) => text.replace('Length: 0', 'Length: 4294967296'), '513'],
    ['no length', (text) => text.replace('Content-Length: 0\r\n', ''), '400'],
    ['two lengths', (text) => text.replace('Max-', 'Content-Length: 7\r\nMax-'), '400'],
    ['a lone CR', (text) => text.replace('Max-', 'X: y\rMax-'), '400'],
    ['a lone LF', (text) => text.replace('Max-', 'X: y\nMax-'), '400'],
    [
      'a header of 64 KB',
      (text) => text.replace('Max-', `X: ${'y'.repeat(65_536)}\r\nMax-`),
      '513',
    ],
    ['1,000 headers', (text) => text.replace('Max-', `${'X: y\r\n'.repeat(1_000)}Max-`), '513'],
  ])('with %s is refused, and what is smuggled behind it not served [A3]', async (_title, change, status) => {
    await using peer = await openTcpPeer(trunkline.sipPort)
    const smuggled = rawRequest('OPTIONS', `${VIA}smuggled`, { callId: 'smuggled' })
    const startedAt = performance.now()
    await peer.write(change(rawRequest('OPTIONS', `${VIA}1`)) + smuggled)
    await peer.closed()
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    const statuses = [...peer.text.matchAll(/^SIP\/2\.0 (\d+)/gm)].map((found) => found[1])
    expect(statuses).toEqual([status])
    expect(peer.text).not.toContain('smuggled')
  })

  it.each<[string, string]>([
    ['Call-ID', 'other'],
    ['CSeq', '9 OPTIONS'],
    ['From', '<sip:x@y>;tag=z'],
    ['To', '<sip:x@y>'],
    ['Max-Forwards', '7'],
  ])('with a second %s is refused [A3]', async (name, value) => {
    await using peer = await openTcpPeer(trunkline.sipPort)
    const request = rawRequest('OPTIONS', `${VIA}${name}`, { callId: name })
    await peer.write(request.replace('Max-', `${name}: ${value}\r\nMax-`))
    await expect.poll(() => peer.text, { timeout: 10_000 }).toMatch(/^SIP\/2\.0 400/)
  })

  it('of one byte a segment is understood [A3]', async () => {
    await using peer = await openTcpPeer(trunkline.sipPort)
    for (const byte of rawRequest('OPTIONS', `${VIA}slow`, { callId: 'slow' }))
      await peer.write(byte)
    await expect.poll(() => peer.text, { timeout: 10_000 }).toMatch(/^SIP\/2\.0 \d+/)
  })

  it('never finished takes no more memory than the limits say [A3]', async ({ task }) => {
    const { lab } = pidsOf(trunkline)
    const before = residentMb(lab)
    const peers = await Promise.all(
      // From several addresses: a stranger may not have as many connections.
      Array.from({ length: CONNECTIONS }, (_, index) =>
        openTcpPeer(trunkline.sipPort, { localAddress: `127.0.0.${String(2 + (index % 10))}` }),
      ),
    )
    const half = `OPTIONS sip:x@y SIP/2.0\r\nX: ${'y'.repeat(30_000)}`
    await Promise.all(peers.map((peer) => peer.write(half)))
    // Bytes are read in turn: this answer comes after all of the above were.
    await using probe = await openTcpPeer(trunkline.sipPort)
    await probe.write(rawRequest('OPTIONS', `${VIA}after`, { callId: 'after' }))
    await expect.poll(() => probe.text, { timeout: 10_000 }).toMatch(/^SIP\/2\.0 \d+/)
    const grown = residentMb(lab) - before
    reportRow(task, 'A3', {
      'connections with half a head': CONNECTIONS,
      'MB grown': Math.round(grown),
    })
    expect(grown).toBeLessThan(CONNECTIONS * MB_PER_CONNECTION)
    for (const peer of peers) await peer[Symbol.asyncDispose]()
  })
})
