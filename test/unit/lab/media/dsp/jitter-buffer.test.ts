import { describe, expect, it } from 'vitest'
import { JitterBuffer } from '../../../../../src/lab/media/dsp/jitter-buffer.js'
import { seeded } from '../../../../support/media/seeded.js'
import { sine, toneShare } from '../../../../support/sound/tone.js'

interface Arrival {
  readonly atMs: number
  readonly timestamp: number
  readonly samples: Int16Array
  readonly isTalkStart?: boolean
}

const TONE = sine(400, 8000 * 120)

/** A 400 Hz tone in packets of `ptimeMs`, each arriving when it was sent. */
function stream(seconds: number, ptimeMs = 20, start = 0): Arrival[] {
  const size = 8 * ptimeMs
  return Array.from({ length: (seconds * 1000) / ptimeMs }, (_, i) => ({
    atMs: i * ptimeMs,
    timestamp: (start + i * size) >>> 0,
    samples: Int16Array.from(TONE.subarray(i * size, (i + 1) * size)),
  }))
}

interface Heard {
  readonly samples: Int16Array
  readonly kinds: readonly string[]
}

/** Plays the arrivals against a clock of `tickMs`; the ticks fall 7 ms after the packets. */
function play(arrivals: readonly Arrival[], tickMs = 20, buffer = new JitterBuffer()): Heard {
  const waiting = [...arrivals].sort((a, b) => a.atMs - b.atMs)
  const endMs = (waiting.at(-1)?.atMs ?? 0) + 100
  const frames: Int16Array[] = []
  const kinds: string[] = []
  for (let now = 7; now < endMs; now += tickMs) {
    for (let next = waiting[0]; next !== undefined && next.atMs <= now; next = waiting[0]) {
      buffer.put(next.samples, next.samples.length, next.timestamp, next.isTalkStart ?? false)
      waiting.shift()
    }
    const frame = new Int16Array(160)
    kinds.push(buffer.take(frame))
    frames.push(frame)
  }
  return { samples: Int16Array.from(frames.flatMap((frame) => [...frame])), kinds }
}

const count = (heard: Heard, kind: string) => heard.kinds.filter((one) => one === kind).length
/** Share of whole frames in the second half: after the buffer has had time to adapt. */
const lateShare = (heard: Heard): number => {
  const half = heard.kinds.slice(Math.floor(heard.kinds.length / 2), -6)
  return half.filter((kind) => kind === 'heard').length / half.length
}

/** What was sent last is heard last: ms between its arrival and its frame. */
function delayAtEnd(heard: Heard, arrivals: readonly Arrival[]): number {
  return heard.kinds.lastIndexOf('heard') * 20 - (arrivals.at(-1)?.atMs ?? 0)
}

describe('an even stream', () => {
  it.each([10, 20, 30, 40, 60])('of %i ms packets is heard whole, within 60 ms', (ptimeMs) => {
    const heard = play(stream(3, ptimeMs))
    expect(count(heard, 'heard')).toBe(150)
    const first = heard.samples.findIndex((sample) => Math.abs(sample) > 100)
    expect(first).toBeLessThanOrEqual(8 * 60)
    expect(toneShare(heard.samples.slice(first, first + 8000), 400)).toBeGreaterThan(0.99)
  })

  it('across the timestamp wrap', () => {
    expect(count(play(stream(2, 20, 0xffff_f000)), 'heard')).toBe(100)
  })

  it('every packet twice', () => {
    const once = stream(1)
    expect(count(play(once.flatMap((one) => [one, one])), 'heard')).toBe(50)
  })
})

describe('an uneven network', () => {
  it('neighbours that change places do no harm', () => {
    const swapped = stream(4).map((one, i) => ({
      ...one,
      atMs: one.atMs + (i % 10 === 3 ? 22 : 0),
    }))
    expect(lateShare(play(swapped))).toBe(1)
  })

  it('one lost packet is concealed with the tone, not with a hole', () => {
    const heard = play(stream(1).filter((_, i) => i !== 20))
    expect(count(heard, 'concealed')).toBeGreaterThanOrEqual(1)
    expect(toneShare(heard.samples.slice(1600, 6400), 400)).toBeGreaterThan(0.95)
  })

  it('a long loss fades to silence', () => {
    const heard = play(stream(2).filter((_, i) => i < 20 || i >= 60))
    expect(count(heard, 'silent')).toBeGreaterThan(30)
    expect(heard.kinds.slice(-20, -6)).toEqual(Array.from({ length: 14 }, () => 'heard'))
  })

  it.each([20, 40, 60, 100])('%i ms of jitter is learned', (jitterMs) => {
    const random = seeded(7)
    const arrivals = stream(20).map((one) => ({ ...one, atMs: one.atMs + random() * jitterMs }))
    expect(lateShare(play(arrivals))).toBeGreaterThan(0.97)
  })

  it('a path that becomes 100 ms longer is followed', () => {
    const arrivals = stream(8).map((one) => ({
      ...one,
      atMs: one.atMs + (one.atMs > 2000 ? 100 : 0),
    }))
    expect(lateShare(play(arrivals))).toBe(1)
  })

  it('audio that runs ahead of its time does not delay the call for good', () => {
    const ahead = (i: number) => (i < 5 ? 0 : 8 * 400)
    const arrivals = stream(10).map((one, i) => ({ ...one, timestamp: one.timestamp + ahead(i) }))
    const heard = play(arrivals)
    expect(lateShare(heard)).toBeGreaterThan(0.99)
    expect(delayAtEnd(heard, arrivals)).toBeLessThan(100)
  })
})

describe('clocks that disagree', () => {
  it.each([
    ['fast', 19.98],
    ['slow', 20.02],
  ])('a sender a thousandth too %s is heard for two minutes without a growing delay', (_title, everyMs) => {
    const arrivals = stream(120).map((one, i) => ({ ...one, atMs: i * everyMs }))
    const heard = play(arrivals)
    expect(count(heard, 'heard') / heard.kinds.length).toBeGreaterThan(0.98)
    expect(delayAtEnd(heard, arrivals)).toBeLessThan(100)
  })
})

describe('senders that jump', () => {
  it.each([
    ['forwards by an hour', 28_800_000],
    ['backwards by an hour', -28_800_000],
    ['backwards by a second', -8000],
    ['forwards by two seconds', 16_000],
  ])('timestamps that go %s cost a few frames', (_title, jump) => {
    const arrivals = stream(4).map((one, i) => ({
      ...one,
      timestamp: (one.timestamp + 100_000_000 + (i < 100 ? 0 : jump)) >>> 0,
    }))
    expect(count(play(arrivals), 'heard')).toBeGreaterThan(194)
  })

  it('a pause with running timestamps stays a pause of that length', () => {
    const arrivals = stream(3).filter((one) => one.atMs < 1000 || one.atMs >= 2000)
    const heard = play(arrivals)
    expect(count(heard, 'heard')).toBe(100)
    expect(heard.kinds.slice(60, 95).every((kind) => kind === 'silent')).toBe(true)
  })

  it('a pause in which the timestamps stood still loses nothing when the talkspurt is marked', () => {
    const arrivals = stream(2).map((one, i) => ({
      ...one,
      atMs: one.atMs + (i < 50 ? 0 : 3000),
      isTalkStart: i === 50,
    }))
    expect(count(play(arrivals), 'heard')).toBe(100)
  })

  it('a new stream begins at once after reset', () => {
    const buffer = new JitterBuffer()
    play(stream(1), 20, buffer)
    buffer.reset()
    expect(count(play(stream(1, 20, 3_000_000_000), 20, buffer), 'heard')).toBe(50)
  })
})
