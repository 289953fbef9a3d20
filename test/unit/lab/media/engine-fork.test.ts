import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import type { ForkEvent, ForkRequest } from '../../../../src/lab/media/model/audio-fork.js'
import type { MediaEngine } from '../../../../src/lab/media/model/media-engine.js'
import { type ForkSink, openForkSink } from '../../../support/media/fork-sink.js'
import { connectPeer, MEDIA_WORKER, type PeerCall } from '../../../support/media/rtp-engine.js'
import { rms, sine, toneShare, usualShare } from '../../../support/sound/tone.js'
import { waitUntil } from '../../../support/time/wait-until.js'

const SILENCE = { type: 'silence', durationMs: -1 } as const
const TONE = { type: 'tone', script: '%(1000,0,900);loops=-1' } as const

let engine: MediaEngine
beforeAll(async () => {
  engine = await createMediaEngine({
    host: '127.0.0.1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })
})
afterAll(() => engine[Symbol.asyncDispose]())

const request = (sink: Pick<ForkSink, 'url'>, more: Partial<ForkRequest> = {}): ForkRequest => ({
  url: sink.url,
  mix: 'mono',
  sampleRate: 8000,
  metadata: '',
  ...more,
})

async function forked(call: PeerCall, sink: ForkSink, more: Partial<ForkRequest> = {}) {
  const events: ForkEvent[] = []
  const fork = call.endpoint.fork(request(sink, more), (event) => events.push(event))
  await waitUntil('the fork to connect', () => events.some((event) => event.type === 'connected'))
  return { fork, events }
}

function bytesOf(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2)
  for (const [i, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * i)
  return bytes
}

describe('what a fork sends', () => {
  it('names its protocol, then the metadata as text', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    const { fork } = await forked(call, sink, { metadata: '{"hello":"world"}' })
    await waitUntil('the metadata', () => sink.texts.length === 1)
    expect(sink.texts).toEqual(['{"hello":"world"}'])
    expect(sink.requests[0]?.headers['sec-websocket-protocol']).toBe('audio.drachtio.org')
    expect(sink.requests[0]?.url).toBe('/fork')
    await fork.stop('{"bye":1}')
    await waitUntil('the close', () => sink.closes.length === 1)
    expect(sink.texts).toEqual(['{"hello":"world"}', '{"bye":1}'])
    expect(sink.closes).toEqual([1000])
  })

  it('mono: what the peer says, in frames of 20 ms, and not what it hears', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    call.endpoint.play(TONE)
    call.peer.speak(440)
    await forked(call, sink)
    await sink.waitForFrames(40)
    expect(new Set(sink.frames.map((frame) => frame.length))).toEqual(new Set([320]))
    expect(usualShare(sink.samples().subarray(1600), 440)).toBeGreaterThan(0.95)
  })

  it('mono: silence while the peer sends nothing', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    await forked(call, sink)
    await sink.waitForFrames(10)
    expect(rms(sink.samples())).toBe(0)
    call.peer.speak(440)
    await waitUntil('the tone', () => toneShare(sink.samples().subarray(-800), 440) > 0.9)
    call.peer.mute()
    await waitUntil('silence', () => rms(sink.samples().subarray(-1600)) === 0)
  })

  it('mono: a lost packet is silence of its length, so that time does not shrink', async () => {
    const network = { seed: 7, lossShare: 0.1 }
    await using call = await connectPeer(engine, { network })
    await using sink = await openForkSink()
    call.peer.speak(440)
    // A packet is sent each tick, so the packets sent are the time.
    const time = async () => (await call.endpoint.stats()).packetsSent
    const before = await time()
    const { fork } = await forked(call, sink)
    const begun = await time()
    await waitUntil('2 s to pass', async () => (await time()) - begun >= 100)
    const [ended] = await Promise.all([time(), fork.stop()])
    await waitUntil('the close', () => sink.closes.length === 1)
    expect(sink.frames.length).toBeGreaterThan(ended - begun - 8)
    expect(sink.frames.length).toBeLessThan(ended - before + 8)
  }, 30_000)

  it('stereo: the peer left, what it hears right; nothing while nothing plays', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    call.peer.speak(440)
    await forked(call, sink, { mix: 'stereo', sampleRate: 16_000 })
    const begun = (await call.endpoint.stats()).packetsReceived
    await waitUntil(
      'packets',
      async () => (await call.endpoint.stats()).packetsReceived > begun + 15,
    )
    expect(sink.frames).toEqual([])
    call.endpoint.play(TONE)
    await sink.waitForFrames(40)
    expect(sink.frames[0]?.length).toBe(1280)
    const [left, right] = [sink.samples(0, 2).subarray(3200), sink.samples(1, 2).subarray(3200)]
    expect(usualShare(left, 440, 16_000)).toBeGreaterThan(0.9)
    expect(usualShare(right, 900, 16_000)).toBeGreaterThan(0.9)
  })

  it('mixed: both in one', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    call.peer.speak(440)
    call.endpoint.play(TONE)
    await forked(call, sink, { mix: 'mixed' })
    await sink.waitForFrames(40)
    const mix = sink.samples().subarray(1600)
    expect(usualShare(mix, 440)).toBeGreaterThan(0.2)
    expect(usualShare(mix, 900)).toBeGreaterThan(0.2)
  })

  it('nothing of a pause, and nothing at all when it shuts down gracefully', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    call.peer.speak(440)
    const { fork } = await forked(call, sink)
    await sink.waitForFrames(5)
    // A text follows the audio that was sent before it.
    const passed = async (text: string) => {
      fork.sendText(text)
      await waitUntil(text, () => sink.texts.includes(text))
      return sink.frames.length
    }
    fork.setPaused(true)
    const paused = await passed('paused')
    const begun = await call.endpoint.stats()
    await waitUntil('packets', async () => {
      return (await call.endpoint.stats()).packetsReceived > begun.packetsReceived + 20
    })
    expect(await passed('later')).toBe(paused)
    fork.setPaused(false)
    await sink.waitForFrames(sink.frames.length + 5)
    fork.shutDownGracefully()
    await waitUntil('the empty frame', () => sink.frames.at(-1)?.length === 0)
  })
})

describe('what comes back', () => {
  const streaming = { playout: { sampleRate: 8000 } } as const

  it('is heard while something plays, mixed into it', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    call.endpoint.play(SILENCE)
    call.peer.speak(0)
    await forked(call, sink, streaming)
    sink.socket().send(bytesOf(sine(700, 16_000)))
    await call.peer.waitForTone(700)
  })

  it('returns a mark when the audio before it was played, and cleared marks at once', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    call.endpoint.play(SILENCE)
    call.peer.speak(0)
    await forked(call, sink, streaming)
    const send = (value: unknown): void => {
      sink.socket().send(JSON.stringify(value))
    }
    sink.socket().send(bytesOf(sine(700, 3_200)))
    send({ type: 'mark', data: { name: 'one' } })
    sink.socket().send(bytesOf(sine(700, 80_000)))
    send({ type: 'mark', data: { name: 'two' } })
    await waitUntil('a mark', () => sink.texts.length === 1)
    expect(JSON.parse(sink.texts[0] ?? '')).toEqual({
      type: 'mark',
      data: { name: 'one', event: 'playout' },
    })
    await call.peer.waitForTone(700)
    send({ type: 'killAudio' })
    await waitUntil('the other mark', () => sink.texts.length === 2)
    expect(JSON.parse(sink.texts[1] ?? '')).toEqual({
      type: 'mark',
      data: { name: 'two', event: 'cleared' },
    })
    await call.peer.waitForSilence()
  })

  it('of another rate is brought to ours', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    call.endpoint.play(SILENCE)
    call.peer.speak(0)
    await forked(call, sink, { playout: { sampleRate: 16_000 } })
    sink.socket().send(bytesOf(sine(700, 32_000, 8000, 16_000)))
    await call.peer.waitForTone(700)
  })

  it('tells of messages', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    const { events } = await forked(call, sink)
    sink.socket().send('{"type":"json","n":1}')
    await waitUntil('the message', () => events.length === 2)
    expect(events[1]).toEqual({ type: 'message', text: '{"type":"json","n":1}' })
  })
})

describe('a far end that fails', () => {
  it('refused: told, and the fork stays to be stopped', async () => {
    await using call = await connectPeer(engine)
    const gone = await openForkSink()
    await gone[Symbol.asyncDispose]()
    const events: ForkEvent[] = []
    const fork = call.endpoint.fork(request(gone), (event) => events.push(event))
    await waitUntil('the failure', () => events.length === 1)
    expect(events[0]?.type).toBe('connect-failed')
    await fork.stop()
  })

  it('closed by it: told once', async () => {
    await using call = await connectPeer(engine)
    await using sink = await openForkSink()
    const { events, fork } = await forked(call, sink)
    sink.socket().close()
    await waitUntil('the loss', () => events.length === 2)
    expect(events[1]).toEqual({ type: 'disconnected' })
    await fork.stop()
    expect(events).toHaveLength(2)
  })

  it('closes with the endpoint', async () => {
    const call = await connectPeer(engine)
    await using sink = await openForkSink()
    const { fork } = await forked(call, sink)
    await call[Symbol.asyncDispose]()
    await waitUntil('the close', () => sink.closes.length === 1)
    expect(sink.closes).toEqual([1000])
    await fork.stop()
  })
})
