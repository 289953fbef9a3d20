import { expect, it } from 'vitest'
import { filledSid } from '../../bench/fill-calls.js'
import { FIRST_FROM } from '../../bench/http-rates.js'
import { PLANS } from '../../bench/plan.js'

it('parts of the bench that share a database fill it with calls of different sids', () => {
  for (const { lists } of Object.values(PLANS)) expect(FIRST_FROM).toBeGreaterThan(lists.many)
  const sids = [0, 999_999, FIRST_FROM, FIRST_FROM + 1].map(filledSid)
  expect(new Set(sids).size).toBe(sids.length)
  for (const sid of sids) expect(sid).toMatch(/^CA[0-9a-f]{32}$/)
})
