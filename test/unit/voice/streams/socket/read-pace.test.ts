import { expect, it } from 'vitest'
import { ReadPace } from '../../../../../src/voice/streams/socket/customer-socket.js'

const FRAME_BYTES = 380

/** Sends frames until the far end is behind, answering none of the pings; how many went. */
function framesUntilBehind(pace: ReadPace): number {
  let frames = 0
  while (!pace.isBehind && frames < 10_000) {
    pace.count(FRAME_BYTES)
    frames += 1
  }
  return frames
}

it('asks with the first message, and then each half second', () => {
  const pace = new ReadPace()
  const asked = Array.from({ length: 100 }, () => pace.count(FRAME_BYTES))
  expect(asked[0]).toBe(String(FRAME_BYTES))
  expect(asked.filter((ping) => ping !== undefined)).toHaveLength(5)
})

it('finds a far end behind once more than three seconds of what it got are unread', () => {
  const pace = new ReadPace()
  pace.answered(pace.count(FRAME_BYTES) ?? '')
  expect(framesUntilBehind(pace)).toBe(Math.floor((64 * 1_024) / FRAME_BYTES) + 1)
})

it('finds it in time again when it has read on', () => {
  const pace = new ReadPace()
  const first = pace.count(FRAME_BYTES) ?? ''
  pace.answered(first)
  const frames = framesUntilBehind(pace)
  pace.answered(String(FRAME_BYTES * frames))
  expect(pace.isBehind).toBe(false)
})

it('does not judge one that answers no pings, nor believe pongs that nobody asked for', () => {
  const pace = new ReadPace()
  expect(framesUntilBehind(pace)).toBe(10_000)
  for (const pong of ['', 'x', '-1', '1e300', 'Infinity', 'NaN']) pace.answered(pong)
  expect(pace.isBehind).toBe(false)
})
