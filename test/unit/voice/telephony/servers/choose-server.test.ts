import { expect, it } from 'vitest'
import {
  type Candidate,
  chooseServer,
} from '../../../../../src/voice/telephony/servers/choose-server.js'

const server = (name: string, changes: object = {}) => ({
  name,
  channels: 0,
  maxSessions: undefined,
  idlePercent: undefined,
  weight: 1,
  ...changes,
})

it.each([
  ['the only one', [server('a')], 'a'],
  ['the first of equal ones', [server('a'), server('b')], 'a'],
  [
    'the one with fewer channels',
    [server('a', { channels: 3 }), server('b', { channels: 2 })],
    'b',
  ],
  [
    'the one with fewer channels for its weight',
    [server('a', { channels: 6, weight: 3 }), server('b', { channels: 3 })],
    'a',
  ],
  ['the heavier of two empty ones', [server('a'), server('b', { weight: 2 })], 'b'],
  [
    'one that has room',
    [
      server('a', { channels: 10, maxSessions: 10 }),
      server('b', { channels: 90, maxSessions: 100 }),
    ],
    'b',
  ],
  [
    'one whose processor is idle enough',
    [server('a', { idlePercent: 9.9 }), server('b', { channels: 50, idlePercent: 20 })],
    'b',
  ],
  [
    'by channels between busy ones',
    [server('a', { idlePercent: 9, channels: 1 }), server('b', { idlePercent: 15, channels: 2 })],
    'a',
  ],
  [
    'a busy one before a full one',
    [server('a', { channels: 1, maxSessions: 1 }), server('b', { channels: 9, idlePercent: 2 })],
    'b',
  ],
  ['a full one when there is no other', [server('a', { channels: 1, maxSessions: 1 })], 'a'],
])('chooses %s', (_title, candidates, chosen) => {
  expect(chooseServer(candidates)?.name).toBe(chosen)
})

it('chooses none of none', () => {
  const none: readonly Candidate[] = []
  expect(chooseServer(none)).toBeUndefined()
})

it('spreads channels by weight', () => {
  const counts = { a: 0, b: 0 }
  for (let i = 0; i < 40; i++) {
    const chosen = chooseServer([
      server('a', { channels: counts.a, weight: 3 }),
      server('b', { channels: counts.b }),
    ])
    if (chosen?.name === 'a') counts.a++
    else counts.b++
  }
  expect(counts).toEqual({ a: 30, b: 10 })
})
