import { describe, expect, it } from 'vitest'
import { readTelephoneEvent } from '../../../../../src/lab/media/codecs/telephone-event.js'
import { DigitReceiver } from '../../../../../src/lab/media/dsp/digit-receiver.js'
import { DigitSender } from '../../../../../src/lab/media/dsp/digit-sender.js'

/**
 * Time in ms, event, timestamp, duration, end bit, sequence number. Without a sequence number the packet
 * comes when it was sent, one in 20 ms.
 */
type Packet = readonly [
  at: number,
  event: number,
  timestamp: number,
  duration: number,
  end?: 'end' | undefined,
  sequence?: number,
  marker?: 'marked' | undefined,
]

/** Sequence number of what is sent at 0 ms. */
const FIRST = 65_530
const KEY_5: readonly Packet[] = [
  [0, 5, 1000, 160],
  [20, 5, 1000, 320],
  [40, 5, 1000, 480],
  [60, 5, 1000, 640],
  [80, 5, 1000, 800, 'end'],
  [100, 5, 1000, 800, 'end'],
  [120, 5, 1000, 800, 'end'],
]
/** The packets from that one on, a second later than they were sent. */
const held = (from: number): Packet[] =>
  KEY_5.slice(from).map(
    ([at, event, timestamp, duration, end]) =>
      [at + 1_000, event, timestamp, duration, end, FIRST + at / 20] as const,
  )
const without = (...lost: number[]) => KEY_5.filter((_, i) => !lost.includes(i))
/** A key whose packets have a timestamp each, which begins so many packets later. */
const wandering = (step: number, later = 0): Packet[] =>
  KEY_5.map(([at, event, timestamp, duration, end], index) => {
    const moved = timestamp + step * (index + later)
    const marker = index === 0 ? 'marked' : undefined
    return [at + later * 20, event, moved, duration, end, FIRST + at / 20 + later, marker] as const
  })
const later = (
  packets: readonly Packet[],
  ms: number,
  timestamp: number,
  event = 5,
  sequenceStep = 0,
): Packet[] =>
  packets.map(([at, , , duration, end]) => {
    const sequence = FIRST + (at + ms) / 20 + sequenceStep
    return [at + ms, event, timestamp, duration, end, sequence] as const
  })

function receive(packets: readonly Packet[], untilMs: number): string {
  const heard: string[] = []
  const receiver = new DigitReceiver((digit, durationMs) => heard.push(`${digit}:${durationMs}`))
  const waiting = [...packets]
  for (let now = 0; now <= untilMs; now += 5) {
    for (let next = waiting[0]; next !== undefined && next[0] <= now; next = waiting[0]) {
      const [at, event, timestamp, duration, end, sequence = FIRST + at / 20, marker] = next
      receiver.onPacket(
        { event, duration, isEnd: end === 'end' },
        timestamp >>> 0,
        sequence & 0xffff,
        now,
        marker === 'marked',
      )
      waiting.shift()
    }
    receiver.onTime(now)
  }
  return heard.join(' ')
}

describe('receiving', () => {
  it.each<[string, readonly Packet[], string]>([
    ['a whole key', KEY_5, '5:100'],
    ['the start lost', without(0, 1), '5:100'],
    ['all but the last packet lost', without(0, 1, 2, 3, 4, 5), '5:100'],
    ['two of three ends lost', without(4, 5), '5:100'],
    ['all ends lost', without(4, 5, 6), '5:80'],
    ['every packet twice', KEY_5.flatMap((one) => [one, one]), '5:100'],
    ['an end that overtakes', [...without(3), [90, 5, 1000, 640, undefined, FIRST + 3]], '5:100'],
    ['a straggler long after', [...KEY_5, [450, 5, 1000, 640, undefined, FIRST + 3]], '5:100'],
    ['the same key twice', [...KEY_5, ...later(KEY_5, 200, 2600)], '5:100 5:100'],
    ['two keys', [...KEY_5, ...later(KEY_5, 200, 2600, 11)], '5:100 #:100'],
    [
      'two keys, ends of the first lost',
      [...without(4, 5, 6), ...later(KEY_5, 120, 1960, 1)],
      '5:80 1:100',
    ],
    [
      'across the timestamp wrap',
      [...later(KEY_5, 0, 0xffff_ff00), ...later(KEY_5, 200, 0x500)],
      '5:100 5:100',
    ],
    [
      'a replayed recording of the same key',
      [...KEY_5, ...later(KEY_5, 1000, 1000)],
      '5:100 5:100',
    ],
    [
      'a key held for ten seconds',
      [
        [0, 0, 1000, 0xff00],
        [20, 0, 1000 + 0xffff, 160],
        [40, 0, 1000 + 0xffff, 320, 'end'],
      ],
      '0:8232',
    ],
    [
      'another key whose timestamp is earlier',
      [...KEY_5, ...later(KEY_5, 200, 200, 7)],
      '5:100 7:100',
    ],
    ['timestamps that go on with the key', wandering(160), '5:100'],
    ['timestamps that wander back', wandering(-80), '5:100'],
    ['timestamps that go on, and all ends lost', wandering(160).slice(0, 4), '5:80'],
    [
      'timestamps that go on, and the same key again',
      [...wandering(160), ...wandering(160, 10)],
      '5:100 5:100',
    ],
    [
      'the same key again at once, with a marker and without an end before',
      [
        ...without(4, 5, 6),
        [80, 5, 1640, 800, undefined, FIRST + 4, 'marked'],
        [100, 5, 1640, 960, 'end'],
      ],
      '5:80 5:120',
    ],
    ['the same key at an earlier timestamp', [...KEY_5, ...later(KEY_5, 200, 200)], '5:100 5:100'],
    ['the same key at the same timestamp', [...KEY_5, ...later(KEY_5, 200, 1000)], '5:100 5:100'],
    [
      'a sender that starts its sequence anew, far back',
      [...KEY_5, ...later(KEY_5, 200, 200, 7, -40_000)],
      '5:100 7:100',
    ],
    [
      'a key overtaken by the next one',
      [
        ...without(2, 4, 5, 6),
        ...later(KEY_5, 120, 1960, 1),
        [125, 5, 1000, 480, undefined, FIRST + 2],
      ],
      '5:80 1:100',
    ],
    [
      'a gap longer than a lost end may be',
      [
        [0, 5, 1000, 160],
        [200, 5, 1000, 1760],
        [220, 5, 1000, 1760, 'end'],
      ],
      '5:20',
    ],
    ['an end that comes again much later', [...KEY_5, [300, 5, 1000, 800, 'end']], '5:100'],
    ['ends that the way held up for a second', [...KEY_5.slice(0, 5), ...held(5)], '5:100'],
    ['a way that stood still within a key', [...KEY_5.slice(0, 3), ...held(3)], '5:60'],
    ['a flash, which is no key', [[0, 16, 1000, 160, 'end']], ''],
    ['an unknown event', [[0, 200, 1000, 160, 'end']], ''],
    [
      'A to D',
      [
        [0, 12, 100, 800, 'end'],
        [200, 15, 1700, 800, 'end'],
      ],
      'A:100 D:100',
    ],
    ['star', [[0, 10, 100, 800, 'end']], '*:100'],
  ])('%s', (_title, packets, expected) => {
    expect(
      receive(
        [...packets].sort((a, b) => a[0] - b[0]),
        1600,
      ),
    ).toBe(expected)
  })

  it('takes a key that is held while its sender starts anew for one key', () => {
    const heard: string[] = []
    const receiver = new DigitReceiver((digit, durationMs) => heard.push(`${digit}:${durationMs}`))
    const held = { event: 5, duration: 320, isEnd: false }
    receiver.onPacket(held, 1000, 700, 0, true)
    receiver.restart()
    receiver.onPacket({ ...held, duration: 480 }, 77_000, 3, 20, false)
    receiver.onPacket({ ...held, duration: 640, isEnd: true }, 77_000, 4, 40, false)
    receiver.restart()
    receiver.onPacket({ event: 6, duration: 640, isEnd: true }, 10, 1, 60, true)
    expect(heard).toEqual(['5:80', '6:80'])
  })

  it('takes nothing from a payload that is too short', () => {
    const event = { event: 0, isEnd: false, duration: 0 }
    expect(readTelephoneEvent(Buffer.from('050a01', 'hex'), 0, 3, event)).toBe(false)
  })
})

describe('sending', () => {
  function send(
    digits: string,
    durationMs: number,
    gapMs: number,
  ): { log: string[]; frames: number } {
    const sender = new DigitSender()
    const sentAfter: number[] = []
    const log: string[] = []
    const onSent = (): void => {
      sentAfter.push(log.length)
    }
    sender.add({ digits, durationMs, gapMs, onSent })
    for (let kind = sender.advance(); kind !== 'idle'; kind = sender.advance()) {
      const { event, duration } = sender.present
      log.push(
        kind === 'pause' ? '-' : `${kind} ${event} ${duration}${sender.isPressed ? '!' : ''}`,
      )
    }
    return { log, frames: sentAfter[0] ?? 0 }
  }

  it('a key is a packet a frame, its last sent three times', () => {
    expect(send('5', 100, 100).log).toEqual([
      'first 5 160!',
      'held 5 320!',
      'held 5 480!',
      'held 5 640!',
      'end 5 800!',
      'end 5 800',
      'end 5 800',
      '-',
      '-',
      '-',
    ])
  })

  it.each([
    ['1', 100, 100, 10],
    ['12', 100, 100, 20],
    ['1', 40, 20, 5], // the three ends need their time
    ['w', 100, 100, 25],
    ['W', 100, 100, 50],
    ['1w2', 100, 60, 8 + 25 + 8],
  ])('%s of %i ms and %i ms takes %i frames', (digits, durationMs, gapMs, frames) => {
    expect(send(digits, durationMs, gapMs).frames).toBe(frames)
  })

  it('is understood by the receiver, key by key', () => {
    const sender = new DigitSender()
    sender.add({ digits: '0123456789*#ABCD', durationMs: 80, gapMs: 40, onSent: () => undefined })
    let heard = ''
    const receiver = new DigitReceiver((digit) => (heard += digit))
    let started = 0
    for (let frame = 0; sender.isBusy; frame++) {
      const kind = sender.advance()
      if (kind === 'first') started = frame * 160
      if (kind !== 'pause' && kind !== 'idle')
        receiver.onPacket(sender.present, started, frame, frame * 20, false)
    }
    expect(heard).toBe('0123456789*#ABCD')
  })
})
