import { describe, expect, it } from 'vitest'
import {
  EMPTY_LINE,
  type Line,
  type LineEvent,
  type Match,
  stateOf,
  stepLine,
  waitingIn,
} from '../../../../src/voice/queues/queue-line.js'

function run(events: readonly LineEvent[]): { line: Line; matches: readonly Match[] } {
  let line = EMPTY_LINE
  const matches: Match[] = []
  for (const event of events) {
    const step = stepLine(line, event)
    line = step.state
    matches.push(...step.effects)
  }
  return { line, matches }
}

const comes = (callSid: string): LineEvent[] => [
  { type: 'joined', callSid },
  { type: 'waits', callSid },
]

describe('who is served in a queue', () => {
  it('is who came first, whoever was stored first', () => {
    const { matches } = run([
      { type: 'joined', callSid: 'a' },
      ...comes('b'),
      { type: 'waits', callSid: 'a' },
      { type: 'dialled', dialler: 1 },
      { type: 'dialled', dialler: 2 },
    ])
    expect(matches).toEqual([
      { type: 'match', callSid: 'a', dialler: 1 },
      { type: 'match', callSid: 'b', dialler: 2 },
    ])
  })

  it('is the dialler who came first, once somebody comes', () => {
    const { matches } = run([
      { type: 'dialled', dialler: 1 },
      { type: 'dialled', dialler: 2 },
      { type: 'withdrew', dialler: 1 },
      ...comes('a'),
    ])
    expect(matches).toEqual([{ type: 'match', callSid: 'a', dialler: 2 }])
  })

  it('is again the one whose dialler has gone, before all who came later', () => {
    const { matches, line } = run([
      ...comes('a'),
      ...comes('b'),
      { type: 'dialled', dialler: 1 },
      { type: 'waits', callSid: 'a' },
      { type: 'dialled', dialler: 2 },
    ])
    expect(matches.map(({ callSid }) => callSid)).toEqual(['a', 'a'])
    expect(waitingIn(line)).toEqual(['b'])
  })

  it('is nobody whom the API has called', () => {
    const { matches, line } = run([
      ...comes('a'),
      { type: 'called', callSid: 'a' },
      { type: 'dialled', dialler: 1 },
    ])
    expect(matches).toEqual([])
    expect(waitingIn(line)).toEqual([])
    expect(stateOf(line, 'a')).toBe('called')
  })

  it('is, whatever happens, at most one for each dialler, in the order of coming', () => {
    for (let seed = 1; seed <= 60; seed += 1) checkRandomRun(seed)
  })
})

/** Every event that can happen, in any order; what holds after each step. */
function checkRandomRun(seed: number): void {
  const random = generator(seed)
  let line = EMPTY_LINE
  let callers = 0
  let diallers = 0
  const served = new Set<number>()
  for (let turn = 0; turn < 200; turn += 1) {
    const pick = <T>(items: readonly T[]): T | undefined => items[random(items.length)]
    const withState = (...states: string[]) =>
      line.members.filter(({ state }) => states.includes(state)).map(({ callSid }) => callSid)
    const events: readonly (LineEvent | undefined)[] = [
      { type: 'joined', callSid: `${(callers += 1)}` },
      about('waits', pick(withState('arriving', 'reserved', 'called'))),
      about('called', pick(withState('waiting'))),
      about('left', pick(line.members.map(({ callSid }) => callSid))),
      { type: 'dialled', dialler: (diallers += 1) },
      withdrawal(pick(line.diallers)),
    ]
    const event = pick(events)
    if (event === undefined) continue
    const before = line
    const { state: next, effects } = stepLine(line, event)
    line = next
    const [match] = effects
    if (match !== undefined) {
      expect(served.has(match.dialler)).toBe(false)
      served.add(match.dialler)
      expect(stateOf(line, match.callSid)).toBe('reserved')
      const earlier = before.members.slice(
        0,
        before.members.findIndex((m) => m.callSid === match.callSid),
      )
      expect(earlier.filter(({ state }) => state === 'waiting')).toEqual([])
    }
    const isAnybodyWaiting = line.members.some(({ state }) => state === 'waiting')
    expect(isAnybodyWaiting && line.diallers.length > 0).toBe(false)
    const order = line.members.map(({ callSid }) => Number(callSid))
    expect(order).toEqual([...order].sort((a, b) => a - b))
  }
}

function about(type: 'waits' | 'called' | 'left', callSid: string | undefined) {
  return callSid === undefined ? undefined : { type, callSid }
}

function withdrawal(dialler: number | undefined): LineEvent | undefined {
  return dialler === undefined ? undefined : { type: 'withdrew', dialler }
}

function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return below === 0 ? 0 : (state >>> 8) % below
  }
}
