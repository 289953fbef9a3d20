import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { rms, toneLevel, toneShare } from '../support/sound/tone.js'
import { readWav } from '../support/sound/tone-wav.js'
import { waitUntil } from '../support/time/wait-until.js'

const CLEAR = 0.6
const BLOCK = 400
const never = () => new AbortController().signal

/** The samples in pieces of 50 ms. */
const blocksOf = (samples: Int16Array): readonly Int16Array[] =>
  Array.from({ length: Math.floor(samples.length / BLOCK) }, (_, i) =>
    samples.subarray(i * BLOCK, (i + 1) * BLOCK),
  )

/** True when that tone is somewhere: a busy machine delays some packets, but not all. */
const holds = (samples: Int16Array, hz: number): boolean =>
  blocksOf(samples).some((block) => toneShare(block, hz) > CLEAR && toneLevel(block, hz) > 500)

export function describeRecordings(rig: () => TelephonyRig): void {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-recordings-'))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  describe('recording', () => {
    it('has what the peer said', async () => {
      const path = join(folder, 'peer.wav')
      const { leg, peer } = await rig().received()
      peer.rtp.speak(500)
      const recording = await leg.media.record(path, { channels: 'mono' })
      await leg.media.play({ type: 'silence', durationMs: 1_000 }, never())
      await recording.stop()
      const [samples = new Int16Array()] = readWav(path).samples
      expect(samples.length).toBeGreaterThan(4_000)
      expect(holds(samples, 500)).toBe(true)
      await leg.hangup()
    })

    it('has all of what was said in a fraction of a second', async () => {
      const path = join(folder, 'short.wav')
      const { leg, peer } = await rig().received()
      peer.rtp.speak(500)
      const recording = await leg.media.record(path, { channels: 'mono' })
      const start = peer.rtp.clock
      await waitUntil('a little is said', () => (peer.rtp.clock - start) >>> 0 >= 2_400)
      await recording.stop()
      const [samples = new Int16Array()] = readWav(path).samples
      // Of the 0.3 s a busy machine may miss a part; a recorder that begins late missed all but 0.02 s.
      expect(samples.length).toBeGreaterThan(800)
      expect(holds(samples, 500)).toBe(true)
      await leg.hangup()
    })

    it('keeps both sides apart when asked to', async () => {
      const path = join(folder, 'both sides.wav')
      const { leg, peer } = await rig().dialed()
      peer.rtp.speak(500)
      const recording = await leg.media.record(path, { channels: 'stereo' })
      await leg.media.play(
        { type: 'tone', frequencies: [1_200], onMs: 1_000, offMs: 0, repeat: 1 },
        never(),
      )
      await recording.stop()
      const { channels, samples } = readWav(path)
      expect(channels).toBe(2)
      const [said = new Int16Array(), heard = new Int16Array()] = samples
      expect([holds(said, 500), holds(said, 1_200)]).toEqual([true, false])
      expect([holds(heard, 500), holds(heard, 1_200)]).toEqual([false, true])
      await leg.hangup()
    })

    it('is silent while it is paused', async () => {
      const path = join(folder, 'paused.wav')
      const { leg, peer } = await rig().dialed()
      peer.rtp.speak(500)
      const recording = await leg.media.record(path, { channels: 'mono' })
      await leg.media.play({ type: 'silence', durationMs: 600 }, never())
      await recording.pause()
      await leg.media.play({ type: 'silence', durationMs: 800 }, never())
      await recording.resume()
      await leg.media.play({ type: 'silence', durationMs: 600 }, never())
      await recording.stop()
      const [samples = new Int16Array()] = readWav(path).samples
      const isLoud = blocksOf(samples).map((block) => rms(block) > 200)
      // Heard in its first half second and in its last, and silent for 600 ms of what was paused.
      expect(isLoud.slice(0, 10)).toContain(true)
      expect(isLoud.slice(-10)).toContain(true)
      const runs = isLoud.map((loud) => (loud ? ' ' : '-')).join('')
      const silences = runs.trim().split(' ')
      expect(Math.max(...silences.map(({ length }) => length))).toBeGreaterThanOrEqual(12)
      await leg.hangup()
    })

    it('is complete when the leg is over, also if it was never stopped', async () => {
      const path = join(folder, 'hung-up.wav')
      const { leg, peer, call } = await rig().dialed()
      peer.rtp.speak(500)
      const recording = await leg.media.record(path, { channels: 'mono' })
      await leg.media.play({ type: 'silence', durationMs: 800 }, never())
      call.bye()
      await recording.stop()
      await recording.stop()
      const [samples = new Int16Array()] = readWav(path).samples
      expect(holds(samples, 500)).toBe(true)
      await leg.hangup()
    })

    it('is made twice at once, each with its own number of channels', async () => {
      const { leg, peer } = await rig().dialed()
      peer.rtp.speak(500)
      const [mono, stereo] = [join(folder, 'mono.wav'), join(folder, 'stereo.wav')]
      const recordings = await Promise.all([
        leg.media.record(stereo, { channels: 'stereo' }),
        leg.media.record(mono, { channels: 'mono' }),
      ])
      await leg.media.play({ type: 'silence', durationMs: 400 }, never())
      await Promise.all(recordings.map((recording) => recording.stop()))
      expect([readWav(mono).channels, readWav(stereo).channels]).toEqual([1, 2])
      await leg.hangup()
    })

    it('goes on through a bridge, and after it', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().received()])
      const path = join(folder, 'bridged.wav')
      const recording = await a.leg.media.record(path, { channels: 'stereo' })
      a.peer.rtp.speak(500)
      b.peer.rtp.speak(900)
      const stop = new AbortController()
      const bridged = a.leg.media.bridge(b.leg.media, stop.signal)
      await waitUntil('each hears the other', () => a.peer.rtp.hears(900) && b.peer.rtp.hears(500))
      a.peer.rtp.forget()
      await waitUntil('half a second of it', () => a.peer.rtp.packets.length >= 25)
      stop.abort()
      await bridged
      await a.leg.media.play(
        { type: 'tone', frequencies: [1_200], onMs: 600, offMs: 0, repeat: 1 },
        never(),
      )
      await recording.stop()
      const [said = new Int16Array(), heard = new Int16Array()] = readWav(path).samples
      expect([holds(said, 500), holds(said, 900), holds(said, 1_200)]).toEqual([true, false, false])
      expect([holds(heard, 500), holds(heard, 900), holds(heard, 1_200)]).toEqual([
        false,
        true,
        true,
      ])
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
    })

    it('goes on while nothing plays, and a fork hears the peer beside it', async () => {
      const { leg, peer } = await rig().dialed()
      const path = join(folder, 'beside a fork.wav')
      peer.rtp.speak(500)
      const recording = await leg.media.record(path, { channels: 'mono' })
      let heardMs = 0
      const fork = await leg.media.fork(
        { name: 'beside', hears: 'far-end', speaks: 'no' },
        {
          onAudio: (audio) => {
            heardMs += audio.length / 16
          },
          onEnded: () => undefined,
        },
      )
      await waitUntil('a second is heard', () => heardMs >= 1_000)
      await fork.stop()
      await recording.stop()
      const [samples = new Int16Array()] = readWav(path).samples
      expect(samples.length).toBeGreaterThan(7_000)
      expect(holds(samples, 500)).toBe(true)
      await leg.hangup()
    })
  })
}
