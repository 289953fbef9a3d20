import { expect, it } from 'vitest'
import { Reception } from '../../../../../src/lab/media/codecs/reception.js'

function receive(sequences: readonly number[], ssrc = 1, into = new Reception()): Reception {
  for (const [i, sequence] of sequences.entries())
    into.onPacket(ssrc, sequence & 0xffff, sequence * 160, i * 20)
  return into
}

it.each([
  ['nothing lost', [1, 2, 3, 4], 0],
  ['one lost', [1, 2, 4], 1],
  ['reordered', [1, 3, 2, 4], 0],
  ['across the wrap', [65_534, 65_535, 65_537, 65_538], 1],
  ['a restarted sender', [1, 2, 20_000, 20_001], 0],
])('counts loss: %s', (_title, sequences, lost) => {
  expect(receive(sequences).packetsLost).toBe(lost)
})

it('keeps what an earlier stream lost', () => {
  const reception = receive([1, 2, 5])
  receive([700, 701], 2, reception)
  expect(reception.packetsLost).toBe(2)
  expect(reception.ssrc).toBe(2)
})

it('measures no jitter in even arrivals, and some in uneven ones', () => {
  expect(receive([1, 2, 3, 4, 5]).jitterMs).toBeCloseTo(0)
  const uneven = new Reception()
  for (let i = 0; i < 200; i++) uneven.onPacket(1, i, i * 160, i * 20 + (i % 2) * 10)
  expect(uneven.jitterMs).toBeCloseTo(10, 0)
})
