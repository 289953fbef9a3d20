import { describe, expect, it } from 'vitest'
import {
  stepUac,
  type UacEvent,
  type UacState,
} from '../../../../../src/voice/telephony/legs/uac-machine.js'
import type { LegEnd } from '../../../../../src/voice/telephony/port.js'

const refused = (status: number, isFromPeer = true): UacEvent => ({
  type: 'refused',
  response: { status, reason: 'no', isFromPeer },
})
const simple = (
  type: Exclude<UacEvent['type'], 'refused' | 'media-failed' | 'barred'>,
): UacEvent => ({
  type,
})

/** Runs events from the start; the effects in order, and how it ended. */
function run(...events: readonly UacEvent[]) {
  let state: UacState = { state: 'preparing' }
  const effects: string[] = []
  for (const event of events) {
    const step = stepUac(state, event)
    state = step.state
    effects.push(...step.effects.map(({ type }) => type))
  }
  return { state: state.state, effects, end: 'end' in state ? state.end : undefined }
}

const READY = simple('media-ready')
const UP = [READY, simple('provisional'), simple('accepted'), simple('media-joined')]

describe('an outbound leg', () => {
  it('is answered once its audio is joined', () => {
    expect(run(...UP)).toEqual({
      state: 'answered',
      effects: ['invite', 'join-media', 'report-answered'],
      end: undefined,
    })
  })

  it.each<[string, UacEvent[], string[], LegEnd['cause'], number]>([
    ['hang up before there is a channel', [simple('hangup')], ['finish'], 'canceled', 487],
    ['no channel', [{ type: 'media-failed', reason: 'none' }], ['finish'], 'media-lost', 503],
    ['busy', [READY, refused(486)], ['invite', 'finish'], 'rejected', 486],
    ['nobody listens', [READY, refused(503, false)], ['invite', 'finish'], 'unreachable', 503],
    ['cannot be sent', [READY, simple('unsendable')], ['invite', 'finish'], 'unreachable', 503],
    [
      'hang up before anything came back',
      [READY, simple('hangup'), refused(487)],
      ['invite', 'cancel', 'finish'],
      'canceled',
      487,
    ],
    [
      'hang up while ringing',
      [READY, simple('provisional'), simple('hangup'), refused(487)],
      ['invite', 'cancel', 'finish'],
      'canceled',
      487,
    ],
    [
      'nobody answers in time',
      [READY, simple('provisional'), simple('ring-limit'), refused(487)],
      ['invite', 'cancel', 'finish'],
      'no-answer',
      487,
    ],
    [
      'nobody even rings in time',
      [READY, simple('ring-limit'), simple('cancel-limit')],
      ['invite', 'cancel', 'finish'],
      'no-answer',
      408,
    ],
    [
      'the CANCEL is never answered',
      [READY, simple('hangup'), simple('cancel-limit')],
      ['invite', 'cancel', 'finish'],
      'canceled',
      487,
    ],
    [
      'a 200 crosses the CANCEL',
      [READY, simple('hangup'), simple('accepted'), simple('dialog-over')],
      ['invite', 'cancel', 'bye', 'finish'],
      'canceled',
      487,
    ],
    [
      'a 200 crosses the ring limit',
      [READY, simple('ring-limit'), simple('accepted'), simple('dialog-over')],
      ['invite', 'cancel', 'bye', 'finish'],
      'no-answer',
      408,
    ],
    [
      'hang up while the audio is joined',
      [READY, simple('accepted'), simple('hangup'), simple('media-joined'), simple('dialog-over')],
      ['invite', 'join-media', 'bye', 'finish'],
      'local-hangup',
      200,
    ],
    [
      'the answer has no audio for us',
      [READY, simple('accepted'), { type: 'media-failed', reason: 'none' }, simple('dialog-over')],
      ['invite', 'join-media', 'bye', 'finish'],
      'media-lost',
      200,
    ],
    [
      'drachtio goes while ringing',
      [READY, simple('signaling-lost')],
      ['invite', 'finish'],
      'signaling-lost',
      503,
    ],
    [
      'FreeSWITCH goes while ringing',
      [READY, simple('media-lost'), refused(487)],
      ['invite', 'cancel', 'finish'],
      'media-lost',
      503,
    ],
  ])('%s', (_title, events, effects, cause, sipStatus) => {
    const result = run(...events)
    expect(result).toMatchObject({ state: 'ended', effects, end: { cause, sipStatus } })
  })

  it.each<[string, UacEvent[], string[], LegEnd['cause']]>([
    ['the peer hangs up', [simple('bye')], ['finish'], 'remote-hangup'],
    ['we hang up', [simple('hangup'), simple('dialog-over')], ['bye', 'finish'], 'local-hangup'],
    ['both hang up', [simple('hangup'), simple('bye')], ['bye', 'finish'], 'local-hangup'],
    [
      'FreeSWITCH goes',
      [simple('media-lost'), simple('dialog-over')],
      ['bye', 'finish'],
      'media-lost',
    ],
    ['drachtio goes', [simple('signaling-lost')], ['finish'], 'signaling-lost'],
    [
      'drachtio goes while our BYE is out',
      [simple('hangup'), simple('signaling-lost')],
      ['bye', 'finish'],
      'local-hangup',
    ],
  ])('when up: %s', (_title, events, effects, cause) => {
    const result = run(...UP, ...events)
    expect(result.effects.slice(3)).toEqual(effects)
    expect(result.end).toMatchObject({ cause, sipStatus: 200 })
  })

  it('ends once, whatever still comes', () => {
    const everything = (
      [
        'media-ready',
        'media-joined',
        'unsendable',
        'accepted',
        'provisional',
        'hangup',
        'ring-limit',
        'cancel-limit',
        'bye',
        'dialog-over',
        'media-lost',
        'signaling-lost',
      ] as const
    ).map(simple)
    const result = run(...UP, simple('bye'), ...everything, refused(500))
    expect(result.effects.filter((effect) => effect === 'finish')).toHaveLength(1)
    expect(result.end?.cause).toBe('remote-hangup')
  })

  it('reports the answer once, also when the 200 is repeated', () => {
    expect(run(...UP, simple('accepted'), simple('media-joined')).effects).toEqual([
      'invite',
      'join-media',
      'report-answered',
    ])
  })
})
