import { expect, it } from 'vitest'
import { KeyPresses, type KeyWay } from '../../../../src/voice/telephony/legs/base-leg.js'

/** `a5 i5`: key 5 by audio, then by INFO; each 100 ms after the one before. */
function reported(presses: string, durationMs = 80): string {
  const keys = new KeyPresses()
  return presses
    .split(' ')
    .filter((press, at) => {
      const way: KeyWay = press.startsWith('a') ? 'audio' : 'info'
      return keys.isNew({ digit: press.slice(1), durationMs }, way, 100 * at)
    })
    .join(' ')
}

it.each([
  ['a5 i5', 'a5', 'both ways is one press'],
  ['i5 a5', 'i5', 'whichever is first'],
  ['a5 a5', 'a5 a5', 'twice one way is two'],
  ['a5 i5 a5 i5', 'a5 a5', 'twice both ways is two'],
  ['a5 a5 i5 i5', 'a5 a5', 'in whatever order'],
  ['a5 i6', 'a5 i6', 'different keys are two'],
  ['a1 a2 a3 i1 i2 i3', 'a1 a2 a3', 'all of a fast typist'],
])('%s: %s, %s', (presses, expected) => {
  expect(reported(presses)).toBe(expected)
})

it('takes a press of much later for another one', () => {
  const keys = new KeyPresses()
  const key = { digit: '5', durationMs: 100 }
  expect(keys.isNew(key, 'audio', 0)).toBe(true)
  expect(keys.isNew(key, 'info', 1_500)).toBe(true)
})

it('knows a key that was told by INFO as it went down, and held for three seconds', () => {
  const keys = new KeyPresses()
  expect(keys.isNew({ digit: '5', durationMs: 250 }, 'info', 0)).toBe(true)
  expect(keys.isNew({ digit: '5', durationMs: 3_000 }, 'audio', 3_000)).toBe(false)
})
