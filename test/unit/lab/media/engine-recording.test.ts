import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMediaEngine } from '../../../../src/lab/media/engine.js'
import type { MediaEngine } from '../../../../src/lab/media/model/media-engine.js'
import { connectPeer, MEDIA_WORKER } from '../../../support/media/rtp-engine.js'
import { tempFolder } from '../../../support/process/temp-folder.js'
import { rms, toneShare, usualShare } from '../../../support/sound/tone.js'
import { readGrowingWav, readWav } from '../../../support/sound/tone-wav.js'
import { waitUntil } from '../../../support/time/wait-until.js'

let engine: MediaEngine
const folder = tempFolder()
beforeAll(async () => {
  engine = await createMediaEngine({
    host: '127.0.0.1',
    rtpPorts: { first: 0, last: 0 },
    workerFile: MEDIA_WORKER,
  })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const TONE = { type: 'tone', script: '%(1000,0,900);loops=-1' } as const
const path = (name: string) => join(folder.path, 'deep', name)

describe('what is in the file', () => {
  it('stereo: the peer on the left, what it hears on the right', async () => {
    await using call = await connectPeer(engine)
    call.peer.speak(440)
    call.endpoint.play(TONE)
    await call.peer.waitForTone(900)
    const file = path('stereo.wav')
    const end = await call.endpoint.record(file, { channels: 'stereo', limitMs: 600 }).ended
    expect(end).toEqual({ samples: 4800, reason: 'limit' })
    const wav = readWav(file)
    const [left = new Int16Array(), right = new Int16Array()] = wav.samples
    expect([wav.channels, wav.sampleRate, left.length]).toEqual([2, 8000, 4800])
    expect(usualShare(left.subarray(1600), 440)).toBeGreaterThan(0.9)
    expect(usualShare(right, 900)).toBeGreaterThan(0.9)
  })

  it('mono: both mixed', async () => {
    await using call = await connectPeer(engine)
    call.peer.speak(440)
    call.endpoint.play(TONE)
    await call.peer.waitForTone(900)
    const file = path('mono.wav')
    await call.endpoint.record(file, { channels: 'mono', limitMs: 600 }).ended
    const [mix = new Int16Array()] = readWav(file).samples
    expect(usualShare(mix.subarray(1600), 440)).toBeGreaterThan(0.2)
    expect(usualShare(mix.subarray(1600), 900)).toBeGreaterThan(0.2)
  })

  it.each(['mono', 'stereo'] as const)('%s, of the peer only', async (channels) => {
    await using call = await connectPeer(engine)
    call.peer.speak(440)
    call.endpoint.play(TONE)
    await call.peer.waitForTone(900)
    const file = path(`peer-${channels}.wav`)
    const options = { channels, limitMs: 600, isReadOnly: true }
    await call.endpoint.record(file, options).ended
    const [left = new Int16Array(), right] = readWav(file).samples
    expect(usualShare(left.subarray(1600), 440)).toBeGreaterThan(0.9)
    if (right !== undefined) expect(rms(right)).toBe(0)
  })

  it('masked: silence of the same length', async () => {
    await using call = await connectPeer(engine)
    call.endpoint.play(TONE)
    await call.peer.waitForTone(900)
    const file = path('masked.wav')
    // A packet is sent each tick, so the packets sent are the time.
    const time = async () => (await call.endpoint.stats()).packetsSent
    const passed = async (ticks: number) => {
      const until = (await time()) + ticks
      await waitUntil(`${ticks} ticks`, async () => (await time()) >= until)
      return time()
    }
    const recording = call.endpoint.record(file, { channels: 'mono' })
    const first = await time()
    const beforeMask = await passed(10)
    call.endpoint.maskRecording(file, true)
    const masked = await time()
    const beforeUnmask = await passed(15)
    call.endpoint.maskRecording(file, false)
    const unmasked = await time()
    await passed(15)
    call.endpoint.stopRecording(file)
    const last = await time()
    const { samples } = await recording.ended
    expect(Math.abs(samples - (last - first) * 160)).toBeLessThanOrEqual(320)
    const [mono = new Int16Array()] = readWav(file).samples
    expect(mono).toHaveLength(samples)
    const frames = Array.from({ length: samples / 160 }, (_, i) =>
      mono.subarray(i * 160, (i + 1) * 160),
    )
    const silent = frames.filter((frame) => rms(frame) === 0).length
    expect(silent).toBeGreaterThanOrEqual(beforeUnmask - masked - 2)
    expect(silent).toBeLessThanOrEqual(unmasked - beforeMask + 2)
    expect(toneShare(mono.subarray(-1600), 900)).toBeGreaterThan(0.9)
  })
})

it('lasts as long as it ran, through 5 % loss, jitter and reordering', async () => {
  const network = { seed: 5, lossShare: 0.05, jitterMs: 60, reorderShare: 0.02 }
  await using call = await connectPeer(engine, { network })
  call.peer.speak(440)
  await waitUntil(
    'the peer to be heard',
    async () => (await call.endpoint.stats()).packetsReceived > 50,
  )
  const file = path('impaired.wav')
  const recording = call.endpoint.record(file, { channels: 'stereo' })
  const first = (await call.endpoint.stats()).packetsSent
  await waitUntil(
    'three seconds',
    async () => (await call.endpoint.stats()).packetsSent >= first + 150,
  )
  call.endpoint.stopRecording(file)
  const last = (await call.endpoint.stats()).packetsSent
  const end = await recording.ended
  expect(end.reason).toBe('stopped')
  // A packet is sent each tick, so the packets sent are the true length.
  expect(Math.abs(end.samples - (last - first) * 160)).toBeLessThanOrEqual(320)
  const [left = new Int16Array()] = readWav(file).samples
  expect(left).toHaveLength(end.samples)
  expect(usualShare(left.subarray(8000), 440)).toBeGreaterThan(0.7)
  const stats = await call.endpoint.stats()
  expect(stats.packetsLost).toBeGreaterThan(0)
  expect(stats.jitterMs).toBeGreaterThan(1)
})

it('several at once, each with its own end', async () => {
  await using call = await connectPeer(engine)
  const recordings = ['a', 'b', 'c'].map((name, i) =>
    call.endpoint.record(path(`${name}.wav`), { channels: 'mono', limitMs: 200 * (i + 1) }),
  )
  const ends = await Promise.all(recordings.map((one) => one.ended))
  expect(ends.map((end) => end.samples)).toEqual([1600, 3200, 4800])
})

it('closing completes the file', async () => {
  const call = await connectPeer(engine)
  const file = path('closed.wav')
  const recording = call.endpoint.record(file, { channels: 'mono' })
  await recording.started
  await waitUntil('some audio', async () => (await call.endpoint.stats()).packetsSent > 10)
  await call[Symbol.asyncDispose]()
  const end = await recording.ended
  expect(end.reason).toBe('closed')
  expect(readWav(file).samples[0]).toHaveLength(end.samples)
  expect((await engine.stats()).openFiles).toBe(0)
})

it('the same file twice fails, and so does a place that cannot be written', async () => {
  await using call = await connectPeer(engine)
  const file = path('twice.wav')
  const first = call.endpoint.record(file, { channels: 'mono' })
  const second = await call.endpoint.record(file, { channels: 'mono' }).ended
  expect(second).toMatchObject({ reason: 'failed', samples: 0 })
  const nowhere = call.endpoint.record('/dev/null/x.wav', { channels: 'mono' })
  expect(await nowhere.ended).toMatchObject({ reason: 'failed' })
  await nowhere.started
  call.endpoint.stopRecording(file)
  expect((await first.ended).reason).toBe('stopped')
})

it('the file is valid at every moment, as if the process died then', async () => {
  await using call = await connectPeer(engine)
  call.peer.speak(440)
  const file = path('living.wav')
  const recording = call.endpoint.record(file, { channels: 'stereo' })
  await recording.started
  expect(existsSync(file)).toBe(true)
  const length = () => readGrowingWav(file).samples[0]?.length ?? 0
  for (const seconds of [0.5, 1, 2]) {
    const before = length()
    await waitUntil(`${seconds} s on disk`, () => length() >= seconds * 8_000)
    if (before < seconds * 8_000) expect(length()).toBeGreaterThan(before)
  }
  const sent = async () => (await call.endpoint.stats()).packetsSent
  expect((await sent()) * 160 - (readGrowingWav(file).samples[0]?.length ?? 0)).toBeLessThanOrEqual(
    16_000,
  )
  call.endpoint.stopRecording(file)
  const { samples } = await recording.ended
  expect(readFileSync(file)).toHaveLength(44 + 4 * samples)
})
