import { expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import type { MediaEndpoint } from '../../../../src/lab/media/model/media-endpoint.js'
import type { RemoteMedia } from '../../../../src/lab/media/model/remote-media.js'
import { MEDIA_WORKER } from '../../../support/media/rtp-engine.js'
import { waitUntil } from '../../../support/time/wait-until.js'

/** Nobody else sends to this address: a stray packet of another test would be taken for the peer's. */
const HOST = '127.0.0.77'
const PAIRS = 50
const TICKS = 100

/** Endpoints in pairs that are each other's peers: every one plays, sends, receives and is bridged or not. */
it('a hundred endpoints play and receive without a loss', async () => {
  await using engine = await createMediaEngine({
    host: HOST,
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })
  const open = () => engine.open({})
  const pairs: [MediaEndpoint, MediaEndpoint][] = await Promise.all(
    Array.from({ length: PAIRS }, () => Promise.all([open(), open()])),
  )
  const remote = (peer: MediaEndpoint): RemoteMedia => ({
    address: HOST,
    port: peer.port,
    codec: 'PCMU',
    direction: 'sendrecv',
  })
  for (const [one, other] of pairs) {
    one.setRemote(remote(other))
    other.setRemote(remote(one))
    one.play({ type: 'tone', script: '%(1000,0,440);loops=-1' })
    other.play({ type: 'tone', script: '%(1000,0,660);loops=-1' })
  }
  const first = await engine.stats()
  const watched = pairs.at(-1)?.[1]
  await waitUntil(
    `${TICKS} packets`,
    async () => ((await watched?.stats())?.packetsReceived ?? 0) >= TICKS,
    15_000,
  )
  const last = await engine.stats()
  const all = await Promise.all(pairs.flat().map((one) => one.close()))
  expect(first.endpoints).toBe(2 * PAIRS)
  expect(last.packetsSent).toBeGreaterThanOrEqual(last.packetsReceived)
  expect(all.reduce((sum, one) => sum + one.packetsLost, 0)).toBe(0)
  expect(all.reduce((sum, one) => sum + one.packetsIgnored, 0)).toBe(0)
  const { p50, p95, max } = last.tickLatenessMs
  const figures = [p50, p95, max].map((ms) => ms.toFixed(1)).join('/')
  process.stdout.write(`100 endpoints: ticks late by ${figures} ms (p50/p95/max)\n`)
})
