import { expect, it } from 'vitest'
import { joinedLoad } from '../../../../../src/voice/telephony/servers/media-servers.js'

it('the load of no server is none', () => {
  expect(joinedLoad([])).toEqual({ delayMs: 0, underWay: 0, perSecond: 0, done: [] })
})

it('the load of several servers is that of the quickest, for each of them', () => {
  const slow = { delayMs: 5_000, underWay: 60, perSecond: 2, done: [{ at: 7, tookMs: 5_000 }] }
  const quick = { delayMs: 6, underWay: 1, perSecond: 90, done: [{ at: 8, tookMs: 6 }] }
  const other = { delayMs: 9, underWay: 2, perSecond: 70, done: [{ at: 9, tookMs: 9 }] }
  expect(joinedLoad([slow, quick, other])).toEqual({
    delayMs: 6,
    underWay: 3,
    perSecond: 162,
    done: [{ at: 8, tookMs: 6 }],
  })
})
