import { describe, expect, it } from 'vitest'
import { A_LAW, MU_LAW } from '../../../../src/platform/audio/g711.js'
import { decodeSample } from '../../../support/media/rtp-g711.js'

const CODES = Array.from({ length: 256 }, (_, code) => code)

describe.each([
  ['PCMU', MU_LAW],
  ['PCMA', A_LAW],
] as const)('%s', (name, law) => {
  it('decodes all codes as the recommendation computes them', () => {
    for (const code of CODES)
      expect(law.toLinear[code], `code ${code}`).toBe(decodeSample(name, code) + 0)
  })
})

it.each([
  ['µ-law loudest', MU_LAW, 0x80, 32_124],
  ['µ-law loudest negative', MU_LAW, 0x00, -32_124],
  ['µ-law silence', MU_LAW, 0xff, 0],
  ['A-law loudest', A_LAW, 0xaa, 32_256],
  ['A-law loudest negative', A_LAW, 0x2a, -32_256],
  ['A-law quietest', A_LAW, 0xd5, 8],
  ['A-law quietest negative', A_LAW, 0x55, -8],
])('%s (G.711)', (_title, law, code, linear) => {
  expect(law.toLinear[code]).toBe(linear)
  expect(law.fromLinear[linear & 0xffff]).toBe(code)
})
