import { expect, it } from 'vitest'
import { TalkTime, USUAL_TALK_MS } from '../../../../../src/voice/calls/actor/live-calls.js'

const HOUR_MS = 3_600_000
const ANSWERED_MS = 500

it('is the usual one for a call without a long Dial', () => {
  expect(new TalkTime().until(ANSWERED_MS)).toBe(ANSWERED_MS + USUAL_TALK_MS)
})

it('counts a Dial inside another one once', () => {
  const time = new TalkTime()
  const leaveOuter = time.beginLongDial(HOUR_MS, 8 * HOUR_MS)
  const leaveInner = time.beginLongDial(2 * HOUR_MS, 6 * HOUR_MS)
  expect(time.until(ANSWERED_MS)).toBe(ANSWERED_MS + USUAL_TALK_MS + 8 * HOUR_MS)
  leaveInner(5 * HOUR_MS)
  expect(time.until(ANSWERED_MS)).toBe(ANSWERED_MS + USUAL_TALK_MS + 8 * HOUR_MS)
  leaveOuter(6 * HOUR_MS)
  expect(time.until(ANSWERED_MS)).toBe(ANSWERED_MS + USUAL_TALK_MS + 5 * HOUR_MS)
})

it('adds up the Dials that follow each other', () => {
  const time = new TalkTime()
  time.beginLongDial(HOUR_MS, 8 * HOUR_MS)(3 * HOUR_MS)
  time.beginLongDial(4 * HOUR_MS, 8 * HOUR_MS)(9 * HOUR_MS)
  expect(time.until(ANSWERED_MS)).toBe(ANSWERED_MS + USUAL_TALK_MS + 7 * HOUR_MS)
})
