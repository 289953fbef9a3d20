import { describe, expect, it } from 'vitest'
import {
  stepUas,
  type UasEvent,
  type UasState,
} from '../../../../../src/voice/telephony/legs/uas-machine.js'
import type { LegEnd } from '../../../../../src/voice/telephony/port.js'

const simple = (type: Exclude<UasEvent['type'], 'failed'>): UasEvent => ({ type })

function run(...events: readonly UasEvent[]) {
  let state: UasState = { state: 'offered' }
  const effects: string[] = []
  for (const event of events) {
    const step = stepUas(state, event)
    state = step.state
    for (const effect of step.effects)
      effects.push(effect.type === 'refuse' ? `refuse ${String(effect.status)}` : effect.type)
  }
  return { state: state.state, effects, end: 'end' in state ? state.end : undefined }
}

const SENT = [simple('ring'), simple('answer'), simple('send'), simple('sent')]
const UP = [...SENT, simple('ack')]

describe('an inbound leg', () => {
  it('is answered by the ACK', () => {
    expect(run(...SENT)).toMatchObject({ state: 'unacknowledged', effects: [] })
    expect(run(...UP)).toMatchObject({ state: 'answered', effects: ['report-answered'] })
  })

  it.each<[string, UasEvent[], string[], LegEnd['cause'], number]>([
    ['the caller gives up', [simple('cancel')], ['finish'], 'canceled', 487],
    [
      'the caller gives up while ringing',
      [simple('ring'), simple('cancel')],
      ['finish'],
      'canceled',
      487,
    ],
    [
      'the caller gives up while we answer',
      [simple('answer'), simple('cancel')],
      ['finish'],
      'canceled',
      487,
    ],
    ['we hang up', [simple('ring'), simple('hangup')], ['refuse 603', 'finish'], 'canceled', 603],
    ['we refuse', [{ type: 'hangup', status: 486 }], ['refuse 486', 'finish'], 'rejected', 486],
    [
      'no audio in common',
      [simple('answer'), { type: 'failed', status: 488, reason: 'none' }],
      ['refuse 488', 'finish'],
      'rejected',
      488,
    ],
    [
      'FreeSWITCH goes',
      [simple('ring'), simple('media-lost')],
      ['refuse 503', 'finish'],
      'media-lost',
      503,
    ],
    [
      'drachtio goes',
      [simple('ring'), simple('signaling-lost')],
      ['finish'],
      'signaling-lost',
      503,
    ],
    [
      'the 200 crosses a CANCEL',
      [simple('answer'), simple('send'), simple('unsendable')],
      ['finish'],
      'canceled',
      487,
    ],
    [
      'no ACK ever comes',
      [...SENT, simple('ack-limit'), simple('dialog-over')],
      ['bye', 'finish'],
      'no-ack',
      200,
    ],
    ['BYE before the ACK', [...SENT, simple('bye')], ['finish'], 'remote-hangup', 200],
  ])('%s', (_title, events, effects, cause, sipStatus) => {
    expect(run(...events)).toMatchObject({ state: 'ended', effects, end: { cause, sipStatus } })
  })

  it('does not say BYE before the ACK came', () => {
    expect(run(...SENT, simple('hangup'))).toMatchObject({ state: 'withdrawing', effects: [] })
    expect(run(...SENT, simple('hangup'), simple('ack'), simple('dialog-over'))).toMatchObject({
      effects: ['bye', 'finish'],
      end: { cause: 'local-hangup' },
    })
  })

  it('hung up while the 200 is with the server waits for both', () => {
    const events = [simple('answer'), simple('send'), simple('hangup'), simple('sent')]
    expect(run(...events)).toMatchObject({ state: 'withdrawing', effects: [] })
    expect(run(...events, simple('ack')).effects).toEqual(['bye'])
  })

  it.each([
    'unsendable',
    'cancel',
  ] as const)('hung up, its 200 never left (%s): canceled', (why) => {
    const events = [simple('answer'), simple('send'), simple('hangup'), simple(why)]
    expect(run(...events)).toMatchObject({ effects: ['finish'], end: { cause: 'canceled' } })
  })

  it.each<[string, UasEvent[], string[], LegEnd['cause']]>([
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
  ])('when up: %s', (_title, events, effects, cause) => {
    const result = run(...UP, ...events)
    expect(result.effects.slice(1)).toEqual(effects)
    expect(result.end).toMatchObject({ cause, sipStatus: 200 })
  })

  it('ends once, whatever still comes', () => {
    const everything = (
      [
        'ring',
        'answer',
        'send',
        'sent',
        'unsendable',
        'ack',
        'ack-limit',
        'cancel',
        'bye',
        'dialog-over',
        'media-lost',
        'signaling-lost',
        'hangup',
      ] as const
    ).map(simple)
    const result = run(simple('cancel'), ...everything)
    expect(result.effects).toEqual(['finish'])
  })
})
