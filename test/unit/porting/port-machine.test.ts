import { describe, expect, it } from 'vitest'
import type { Progress } from '../../../src/porting/port.js'
import { isAbsorbed, type PortEvent, step } from '../../../src/porting/port-machine.js'

const STATES: Readonly<Record<string, Progress>> = {
  unsigned: { state: 'submitted', isSigned: false },
  signed: { state: 'submitted', isSigned: true },
  validating: { state: 'validating' },
  pending: { state: 'pending' },
  foc: { state: 'foc', foc: '2026-02-02' },
  exception: { state: 'exception', reason: 'a wrong name' },
  complete: { state: 'complete', foc: '2026-02-02' },
  cancelled: { state: 'cancelled' },
}
const EVENTS: Readonly<Record<string, PortEvent>> = {
  signed: { type: 'signed' },
  'review-began': { type: 'review-began' },
  'review-passed': { type: 'review-passed' },
  'same date': { type: 'date-confirmed', foc: '2026-02-02' },
  'other date': { type: 'date-confirmed', foc: '2026-02-09' },
  rejected: { type: 'rejected', reason: 'a wrong name' },
  'resubmitted unsigned': { type: 'resubmitted', isSigned: false },
  'resubmitted signed': { type: 'resubmitted', isSigned: true },
  cancel: { type: 'cancel-requested', isLate: false },
  'late cancel': { type: 'cancel-requested', isLate: true },
  activated: { type: 'activated' },
}

/** Every transition: from, event, to, effects. Any other event is absorbed. */
const TRANSITIONS: readonly [string, string, Progress, string][] = [
  ['unsigned', 'signed', { state: 'submitted', isSigned: true }, 'ask-carrier'],
  ['signed', 'review-began', { state: 'validating' }, 'mail ask-carrier'],
  ['validating', 'review-passed', { state: 'pending' }, 'mail ask-carrier'],
  ['pending', 'same date', { state: 'foc', foc: '2026-02-02' }, 'mail ask-carrier'],
  ['pending', 'other date', { state: 'foc', foc: '2026-02-09' }, 'mail ask-carrier'],
  ['foc', 'other date', { state: 'foc', foc: '2026-02-09' }, 'mail ask-carrier'],
  [
    'foc',
    'activated',
    { state: 'complete', foc: '2026-02-02' },
    'activate-numbers free-numbers mail',
  ],
  ...['unsigned', 'signed', 'validating', 'pending', 'foc'].map(
    (from): [string, string, Progress, string] => [
      from,
      'rejected',
      { state: 'exception', reason: 'a wrong name' },
      'mail',
    ],
  ),
  ['exception', 'resubmitted unsigned', { state: 'submitted', isSigned: false }, 'mail'],
  ['exception', 'resubmitted signed', { state: 'submitted', isSigned: true }, 'mail ask-carrier'],
  ...['unsigned', 'signed', 'validating', 'pending', 'foc', 'exception'].map(
    (from): [string, string, Progress, string] => [
      from,
      'cancel',
      { state: 'cancelled' },
      'mail free-numbers ask-carrier',
    ],
  ),
  // Only a committed date can be too near.
  ...['unsigned', 'signed', 'validating', 'pending', 'exception'].map(
    (from): [string, string, Progress, string] => [
      from,
      'late cancel',
      { state: 'cancelled' },
      'mail free-numbers ask-carrier',
    ],
  ),
]

const find = <Item>(all: Readonly<Record<string, Item>>, name: string): Item => {
  const found = all[name]
  if (found === undefined) throw new Error(`there is no ${name}`)
  return found
}

describe('the life of a port', () => {
  it.each(TRANSITIONS)('%s, %s', (from, event, to, effects) => {
    const next = step(find(STATES, from), find(EVENTS, event))
    expect(next.state).toEqual(to)
    expect(next.effects.map(({ type }) => type).join(' ')).toBe(effects)
  })

  const known = new Set(TRANSITIONS.map(([from, event]) => `${from}, ${event}`))
  const others = Object.keys(STATES).flatMap((from) =>
    Object.keys(EVENTS)
      .filter((event) => !known.has(`${from}, ${event}`))
      .map((event) => [from, event] as const),
  )
  it.each(others)('%s absorbs %s', (from, event) => {
    const before = find(STATES, from)
    expect(isAbsorbed(before, step(before, find(EVENTS, event)))).toBe(true)
  })

  it('has a word for every pair of a state and an event', () => {
    expect(TRANSITIONS.length + others.length).toBe(
      Object.keys(STATES).length * Object.keys(EVENTS).length,
    )
  })
})
