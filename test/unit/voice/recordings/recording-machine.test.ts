import { describe, expect, it } from 'vitest'
import { statusOf, step } from '../../../../src/voice/recordings/recording-machine.js'

describe('a recorder', () => {
  it.each([
    ['recording', { type: 'pause', behavior: 'silence' }, 'masked', ['mask']],
    ['recording', { type: 'pause', behavior: 'skip' }, 'parted', ['end-part']],
    ['masked', { type: 'pause', behavior: 'skip' }, 'masked', []],
    ['masked', { type: 'resume' }, 'recording', ['unmask']],
    ['parted', { type: 'resume' }, 'recording', ['begin-part']],
    ['recording', { type: 'resume' }, 'recording', []],
    ['recording', { type: 'stop' }, 'stopped', ['finish']],
    ['masked', { type: 'stop' }, 'stopped', ['finish']],
    ['parted', { type: 'stop' }, 'stopped', ['finish']],
    ['stopped', { type: 'stop' }, 'stopped', []],
  ] as const)('%s, told %o, is %s', (state, event, next, effects) => {
    expect(step({ state }, event)).toEqual({
      state: { state: next },
      effects: effects.map((type) => ({ type })),
    })
  })

  it('refuses to pause or resume once it has stopped', () => {
    const stopped = { state: 'stopped' } as const
    const refused = { state: stopped, effects: [{ type: 'refuse' }] }
    expect(step(stopped, { type: 'pause', behavior: 'skip' })).toEqual(refused)
    expect(step(stopped, { type: 'resume' })).toEqual(refused)
  })

  it('is paused to the customer however it pauses', () => {
    expect([statusOf({ state: 'masked' }), statusOf({ state: 'parted' })]).toEqual([
      'paused',
      'paused',
    ])
  })
})
