import { describe, expect, it } from 'vitest'
import { AdapterError } from '../../src/platform/errors.js'
import type { ForkRequest } from '../../src/voice/telephony/leg-media.js'
import type { TelephonyRig } from '../support/media/telephony-rig.js'
import { rms, sine, toneLevel, toneShare } from '../support/sound/tone.js'
import { waitUntil } from '../support/time/wait-until.js'

/** Share of the energy on one frequency: nearly all of it, but for what a busy machine delays. */
const CLEAR = 0.6
const FRAME_BYTES = 320
/** Of a tone among others: a third of what is spoken. */
const AUDIBLE = 1_500
const never = () => new AbortController().signal
const LISTEN: ForkRequest = { name: 'stream', hears: 'far-end', speaks: 'no' }

/** What a fork brings, and what it tells. */
function forkRecorder() {
  const frames: Buffer[] = []
  const marks: string[] = []
  const ends: string[] = []
  const samples = (channel = 0, channels = 1): Int16Array => {
    const bytes = Buffer.concat(frames)
    const count = Math.floor(bytes.length / 2 / channels)
    return Int16Array.from({ length: count }, (_, i) =>
      bytes.readInt16LE(2 * (i * channels + channel)),
    )
  }
  return {
    frames,
    marks,
    ends,
    samples,
    onAudio: (audio: Buffer) => frames.push(audio),
    onMark: (name: string, how: string) => marks.push(`${name} ${how}`),
    onEnded: (why: string) => ends.push(why),
  }
}

/** Share of 440 Hz in what the far end said last, of two channels. */
function level440(fork: ReturnType<typeof forkRecorder>): number {
  return toneShare(fork.samples(0, 2).subarray(-1600), 440)
}

function bytesOf(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2)
  for (const [i, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * i)
  return bytes
}

export function describeForks(rig: () => TelephonyRig): void {
  describe('forks', () => {
    it('bring what the far end says, and not what it hears', async () => {
      const { leg, peer } = await rig().dialed()
      const fork = forkRecorder()
      peer.rtp.speak(440)
      const playing = leg.media.play(
        { type: 'tone', frequencies: [900], onMs: 20_000, offMs: 0, repeat: 1 },
        never(),
      )
      playing.catch(() => undefined)
      const running = await leg.media.fork(LISTEN, fork)
      await waitUntil('audio comes', () => toneShare(fork.samples().subarray(-1600), 440) > CLEAR)
      expect(fork.frames.every((frame) => frame.length % FRAME_BYTES === 0)).toBe(true)
      await running.stop()
      expect(fork.ends).toEqual([])
      await leg.hangup()
    })

    it('bring both sides, far end first, whether something plays or not', async () => {
      const { leg, peer } = await rig().dialed()
      const fork = forkRecorder()
      peer.rtp.speak(440)
      const running = await leg.media.fork({ ...LISTEN, hears: 'both' }, fork)
      await waitUntil(
        'the far end comes',
        () => toneShare(fork.samples(0, 2).subarray(-1600), 440) > CLEAR,
      )
      expect(rms(fork.samples(1, 2).subarray(-1600))).toBeLessThan(50)
      const stop = new AbortController()
      const tone = { type: 'tone', frequencies: [900], onMs: 20_000, offMs: 0, repeat: 1 } as const
      const playing = leg.media.play(tone, stop.signal)
      await waitUntil(
        'what plays comes',
        () => toneShare(fork.samples(1, 2).subarray(-1600), 900) > CLEAR,
      )
      stop.abort(new Error('heard'))
      await expect(playing).rejects.toThrow('heard')
      await waitUntil('silence again', () => rms(fork.samples(1, 2).subarray(-1600)) < 50)
      await running.stop()
      await leg.hangup()
    })

    it('speak, return marks in order, and fall silent when told', async () => {
      const { leg, peer } = await rig().dialed()
      const fork = forkRecorder()
      const running = await leg.media.fork({ ...LISTEN, speaks: 'yes' }, fork)
      expect(running.speak(bytesOf(sine(700, 4_000)))).toBe(true)
      running.mark('half')
      expect(running.speak(bytesOf(sine(700, 40_000)))).toBe(true)
      running.mark('end')
      await waitUntil('it is heard', () => peer.rtp.hears(700))
      await waitUntil('the first mark', () => fork.marks.length === 1)
      expect(fork.marks).toEqual(['half played'])
      running.silence()
      await waitUntil('the other mark', () => fork.marks.length === 2)
      expect(fork.marks).toEqual(['half played', 'end cleared'])
      await waitUntil('silence', () => peer.rtp.isQuiet())
      // And speaks again afterwards.
      running.speak(bytesOf(sine(1_100, 16_000)))
      await waitUntil('it speaks', () => peer.rtp.hears(1_100))
      await running.stop()
      await leg.hangup()
    })

    it('speak into what plays, and hear both sides while they do', async () => {
      const { leg, peer } = await rig().dialed()
      const fork = forkRecorder()
      peer.rtp.speak(440)
      const stop = new AbortController()
      const tone = { type: 'tone', frequencies: [900], onMs: 20_000, offMs: 0, repeat: 1 } as const
      const playing = leg.media.play(tone, stop.signal)
      const running = await leg.media.fork({ ...LISTEN, hears: 'both', speaks: 'yes' }, fork)
      await waitUntil('what plays is heard', () => peer.rtp.hears(900))
      running.speak(bytesOf(sine(700, 160_000)))
      const level = (hz: number) => toneLevel(peer.rtp.heardLately(), hz)
      await waitUntil('both are', () => level(700) > AUDIBLE && level(900) > AUDIBLE, 15_000)
      await waitUntil('the far end comes', () => level440(fork) > CLEAR, 15_000)
      stop.abort(new Error('enough'))
      await expect(playing).rejects.toThrow('enough')
      await waitUntil('it speaks on alone', () => peer.rtp.hears(700), 15_000)
      await running.stop()
      await waitUntil('silence', () => peer.rtp.isQuiet(), 15_000)
      await leg.hangup()
    })

    it('go on through a bridge: far end first, then the other party', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().dialed()])
      const fork = forkRecorder()
      a.peer.rtp.speak(440)
      b.peer.rtp.speak(900)
      const running = await a.leg.media.fork({ ...LISTEN, hears: 'both' }, fork)
      await waitUntil('the far end comes', () => level440(fork) > CLEAR, 15_000)
      const stop = new AbortController()
      const bridged = a.leg.media.bridge(b.leg.media, stop.signal)
      await waitUntil('they are joined', () => a.peer.rtp.hears(900), 15_000)
      const other = () => toneShare(fork.samples(1, 2).subarray(-1600), 900)
      const isBoth = () => other() > CLEAR && level440(fork) > CLEAR
      await waitUntil('the other party comes, beside the far end', isBoth, 15_000)
      stop.abort()
      await bridged
      const isAlone = () => rms(fork.samples(1, 2).subarray(-1600)) < 50
      await waitUntil('the other party is gone', isAlone, 15_000)
      const frames = fork.frames.length
      await waitUntil('it goes on', () => fork.frames.length > frames + 10, 15_000)
      expect(fork.ends).toEqual([])
      await running.stop()
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
    })

    it('go on in a room, which says to them what it says to the leg', async () => {
      const [a, b] = await Promise.all([rig().dialed(), rig().dialed()])
      const fork = forkRecorder()
      a.peer.rtp.speak(440)
      b.peer.rtp.speak(900)
      const running = await a.leg.media.fork({ ...LISTEN, hears: 'both', speaks: 'yes' }, fork)
      await waitUntil('the far end comes', () => level440(fork) > CLEAR, 15_000)
      const seats = await Promise.all(
        [a, b].map(({ leg }) => leg.media.joinRoom('forked', { speaks: 'yes' })),
      )
      await waitUntil('they are joined', () => a.peer.rtp.hears(900), 15_000)
      const other = () => toneShare(fork.samples(1, 2).subarray(-1600), 900)
      const isBoth = () => other() > CLEAR && level440(fork) > CLEAR
      await waitUntil('the other party comes, beside the far end', isBoth, 15_000)
      for (const seat of seats) await seat.leave()
      running.speak(bytesOf(sine(700, 40_000)))
      await waitUntil('it speaks on', () => a.peer.rtp.hears(700), 15_000)
      expect(fork.ends).toEqual([])
      await running.stop()
      await Promise.all([a.leg.hangup(), b.leg.hangup()])
    })

    it('of two names run beside each other, and of one name once', async () => {
      const { leg, peer } = await rig().dialed()
      peer.rtp.speak(440)
      const [one, two] = [forkRecorder(), forkRecorder()]
      const first = await leg.media.fork(LISTEN, one)
      await leg.media.fork({ ...LISTEN, name: 'detector' }, two)
      await waitUntil('both bring audio', () => one.frames.length > 20 && two.frames.length > 20)
      await expect(leg.media.fork(LISTEN, forkRecorder())).rejects.toThrow(AdapterError)
      await waitUntil('the first goes on', () => one.frames.length > 40)
      await first.stop()
      const again = await leg.media.fork(LISTEN, forkRecorder())
      await again.stop()
      await leg.hangup()
    })

    it('end with the leg', async () => {
      const { leg, call } = await rig().dialed()
      const fork = forkRecorder()
      await leg.media.fork(LISTEN, fork)
      call.bye()
      await waitUntil('the end', () => fork.ends.length === 1)
      expect(fork.ends).toEqual(['leg-over'])
    })
  })
}
