import { describe, expect, it } from 'vitest'
import {
  EMPTY_ROOM,
  type LeaveManner,
  leaveReason,
  type Room,
  type RoomEffect,
  type RoomEvent,
  stepRoom,
} from '../../../../src/voice/conferences/room-machine.js'

const enter = (callSid: string, how: { starts?: boolean; ends?: boolean } = {}): RoomEvent => ({
  type: 'entered',
  member: {
    callSid,
    label: `label of ${callSid}`,
    startOnEnter: how.starts ?? true,
    endOnExit: how.ends ?? false,
  },
})
const leave = (callSid: string, how: LeaveManner = 'left'): RoomEvent => ({
  type: 'left',
  callSid,
  how,
})
const END: RoomEvent = { type: 'end-requested' }

function inWords(effect: RoomEffect): string {
  switch (effect.type) {
    case 'joined':
      return `+${effect.callSid}`
    case 'gone':
      return `-${effect.callSid}`
    case 'started':
    case 'release':
      return effect.type
    case 'ended':
      return `ended ${effect.end.reason} ${effect.end.callSid ?? 'api'}`
  }
}

describe('a room', () => {
  it.each<[string, readonly RoomEvent[], string, Room['state']]>([
    ['waits for a second one', [enter('a')], '+a', 'init'],
    ['starts with two', [enter('a'), enter('b')], '+a, +b, started', 'in-progress'],
    [
      'waits while nobody may start it',
      [enter('a', { starts: false }), enter('b', { starts: false })],
      '+a, +b',
      'init',
    ],
    [
      'starts with the first who may',
      [enter('a', { starts: false }), enter('b', { starts: false }), enter('c')],
      '+a, +b, +c, started',
      'in-progress',
    ],
    [
      'goes on with one',
      [enter('a'), enter('b'), leave('b')],
      '+a, +b, started, -b',
      'in-progress',
    ],
    [
      'ends with the last one',
      [enter('a'), enter('b'), leave('a'), leave('b')],
      '+a, +b, started, -a, -b, ended last-participant-left b',
      'completed',
    ],
    [
      'ends with the last one, kicked',
      [enter('a'), leave('a', 'kicked')],
      '+a, -a, ended last-participant-kicked a',
      'completed',
    ],
    [
      'is ended by who may end it, and tells it last',
      [enter('a', { ends: true }), enter('b'), leave('a'), leave('b')],
      '+a, +b, started, -a, release, -b, ended participant-with-end-conference-on-exit-left a',
      'completed',
    ],
    [
      'is ended by a request, once',
      [enter('a'), enter('b'), END, END, leave('b'), leave('a')],
      '+a, +b, started, release, -b, -a, ended conference-ended-via-api api',
      'completed',
    ],
    [
      'is ended by who may end it since it came',
      [
        enter('a'),
        enter('b'),
        { type: 'changed', callSid: 'b', endOnExit: true },
        leave('b'),
        leave('a'),
      ],
      '+a, +b, started, -b, release, -a, ended participant-with-end-conference-on-exit-left b',
      'completed',
    ],
    ['is over without a word when nobody comes', [{ type: 'nobody-expected' }], '', 'completed'],
    [
      'goes on without whom it awaited',
      [enter('a'), { type: 'nobody-expected' }, enter('b')],
      '+a, +b, started',
      'in-progress',
    ],
    ['knows nobody who was never there', [enter('a'), leave('x')], '+a', 'init'],
  ])('%s', (_, events, effects, status) => {
    let room = EMPTY_ROOM
    const seen: string[] = []
    for (const event of events) {
      const step = stepRoom(room, event)
      room = step.state
      seen.push(...step.effects.map(inWords))
    }
    expect(seen.join(', ')).toBe(effects)
    expect(room.state).toBe(status)
  })
})

describe('the reason why a participant left', () => {
  const reasons = (events: readonly RoomEvent[]): readonly string[] => {
    let room = EMPTY_ROOM
    return events.flatMap((event) => {
      const { state, effects } = stepRoom(room, event)
      room = state
      return effects.flatMap((effect) =>
        effect.type === 'gone' ? [`${effect.callSid} ${effect.reason}`] : [],
      )
    })
  }

  it.each<[string, readonly RoomEvent[], readonly string[]]>([
    ['it hung up', [leave('b')], ['b participant_hung_up']],
    ['the API removed it', [leave('b', 'kicked')], ['b participant_updated_via_api']],
    ['its call got a document', [leave('b', 'redirected')], ['b participant_updated_via_api']],
    [
      'the API ended the conference',
      [END, leave('b'), leave('c')],
      ['b conference_ended_via_api', 'c conference_ended_via_api'],
    ],
    [
      'somebody with endConferenceOnExit left',
      [leave('a'), leave('b'), leave('c')],
      ['a participant_hung_up', 'b moderator_ended_conference', 'c moderator_ended_conference'],
    ],
  ])('is told when %s', (_when, events, expected) => {
    const members = [enter('a', { ends: true }), enter('b'), enter('c')]
    expect(reasons([...members, ...events])).toEqual(expected)
  })

  it('is another for a call that never came in', () => {
    expect(leaveReason(EMPTY_ROOM, undefined)).toBe('participant_add_failed')
  })

  it('ends the conference with the label of who left last', () => {
    const { state } = stepRoom(stepRoom(EMPTY_ROOM, enter('a')).state, leave('a'))
    expect(state).toMatchObject({ end: { callSid: 'a', label: 'label of a' } })
  })
})
