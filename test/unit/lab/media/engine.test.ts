import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import type { MediaEngine } from '../../../../src/lab/media/types.js'
import { connectPeer, MEDIA_WORKER } from '../../../support/rtp-engine.js'

let engine: MediaEngine
beforeAll(async () => {
  engine = await createMediaEngine({
    host: '127.0.0.1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })
})
afterAll(() => engine[Symbol.asyncDispose]())

describe('playing', () => {
  it('sends a tone that the peer hears, then silence', async () => {
    await using call = await connectPeer(engine)
    const { endpoint, peer } = call
    const playback = endpoint.play({ type: 'tone', script: '%(400,0,600)' })
    await peer.waitForTone(600)
    expect(await playback.ended).toEqual({ reason: 'done', playedSamples: 3200 })
    await peer.waitForSilence()
  })
})
