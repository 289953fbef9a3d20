import { expect, it } from 'vitest'
import { CarrierHealth } from '../../../../src/voice/carriers/carrier-health.js'

const SERVER = 'udp:192.0.2.1:5060'

function setUp() {
  let now = 1_000_000
  const health = new CarrierHealth({ now: () => now, monotonic: () => now })
  return { health, pass: (ms: number) => (now += ms) }
}

it('a server that nobody tried is up', () => {
  const { health } = setUp()
  expect([health.isUp(SERVER), health.of(SERVER)]).toEqual([true, { state: 'unknown' }])
})

it('each failure doubles the pause, up to a minute, and an answer ends it', () => {
  const { health, pass } = setUp()
  const pauses = Array.from({ length: 8 }, () => {
    health.failed(SERVER, 'no answer')
    let seconds = 0
    while (!health.isUp(SERVER)) {
      pass(1_000)
      seconds += 1
    }
    return seconds
  })
  expect(pauses).toEqual([2, 4, 8, 16, 32, 60, 60, 60])
  expect(health.of(SERVER)).toMatchObject({ state: 'down', reason: 'no answer' })
  health.answered(SERVER)
  expect([health.isUp(SERVER), health.of(SERVER).state]).toEqual([true, 'up'])
})

it.each([
  [30, 30],
  [86_400, 600],
])('a server that asks for %i s is left alone for %i s', (asked, seconds) => {
  const { health, pass } = setUp()
  health.askedForPause(SERVER, asked)
  pass(seconds * 1_000 - 1)
  expect(health.isUp(SERVER)).toBe(false)
  pass(1)
  expect(health.isUp(SERVER)).toBe(true)
})

it('a request that went unanswered does not count once the server has answered a later one', () => {
  const { health, pass } = setUp()
  const askedAt = 1_000_000
  pass(3_000)
  health.answered(SERVER)
  pass(2_000)
  health.failed(SERVER, 'no answer to OPTIONS', askedAt)
  expect([health.isUp(SERVER), health.of(SERVER).state]).toEqual([true, 'up'])
  health.failed(SERVER, 'no answer to OPTIONS', askedAt + 3_001)
  expect([health.isUp(SERVER), health.of(SERVER).state]).toEqual([false, 'down'])
})
