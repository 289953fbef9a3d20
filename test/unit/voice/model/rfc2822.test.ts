import { expect, it } from 'vitest'
import { rfc2822 } from '../../../../src/voice/model/callback-params.js'

it.each([
  0, -1, -86_400_000, 951_782_400_000, 951_782_399_999, 1_709_164_799_001, 1_795_400_000_000,
  1_795_400_000_999, 1_795_391_999_999, -62_135_596_800_000,
])('writes %d ms as RFC 2822 has it', (ms) => {
  const expected = new Date(ms).toUTCString().replace('GMT', '+0000')
  expect(rfc2822(new Date(ms))).toBe(expected)
  expect(rfc2822(new Date(ms))).toBe(expected)
})
