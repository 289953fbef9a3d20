import { expect, it } from 'vitest'
import { filledSid } from '../../../../src/cli/bench/fill-calls.js'

it('parts of the bench that share a database fill it with calls of different sids', () => {
  const sids = [0, 1, 999_999].flatMap((index) => [filledSid(index), filledSid(index, 'http')])
  expect(new Set(sids).size).toBe(sids.length)
  for (const sid of sids) expect(sid).toMatch(/^CA[0-9a-f]{32}$/)
})
