import { describe, expect, it } from 'vitest'
import {
  type Call,
  type CallEffect,
  type CallEvent,
  statusOf,
  step,
} from '../../../../../src/voice/calls/actor/call-machine.js'
import { statusOfRejection } from '../../../../../src/voice/model/outcome.js'
import type { LegEnd } from '../../../../../src/voice/telephony/port.js'

const queued: Call = { state: 'queued' }
const dialing: Call = { state: 'dialing' }
const ringing: Call = { state: 'ringing' }
const offered: Call = { state: 'offered' }
const canceling: Call = { state: 'canceling' }
const talking: Call = { state: 'in-progress', answeredAtMs: 1_000 }
const leaving: Call = { state: 'hanging-up', answeredAtMs: 1_000 }
const over: Call = {
  state: 'ended',
  status: 'busy',
  talkedMs: 0,
  sipStatus: 486,
  reason: undefined,
}

const hangup: CallEvent = { type: 'hangup-requested' }
const answered: CallEvent = { type: 'answered', atMs: 5 }
const ended = (cause: LegEnd['cause'], sipStatus: number, atMs = 61_000): CallEvent => ({
  type: 'ended',
  atMs,
  end: { cause, sipStatus },
})

describe('call machine', () => {
  it.each<[string, Call, CallEvent, string, string[]]>([
    [
      'dialing starts',
      queued,
      { type: 'dial-started', queuedMs: 0 },
      'queued',
      ['notify:initiated', 'dial'],
    ],
    ['180 rings', dialing, { type: 'progress' }, 'ringing', ['notify:ringing']],
    ['a second 180 says nothing new', ringing, { type: 'progress' }, 'ringing', []],
    ['answered at once', dialing, answered, 'in-progress', ['notify:answered', 'start-document']],
    [
      'answered after ringing',
      ringing,
      answered,
      'in-progress',
      ['notify:answered', 'start-document'],
    ],
    ['an inbound call is answered', offered, answered, 'in-progress', ['notify:answered']],
    [
      'an inbound caller gives up',
      offered,
      ended('canceled', 487),
      'canceled',
      ['stop-document', 'notify:completed', 'finish'],
    ],
    ['a 200 that crosses our CANCEL', canceling, answered, 'ringing', []],
    ['hung up before dialing', queued, hangup, 'canceled', ['finish']],
    ['hung up while dialing', dialing, hangup, 'ringing', ['stop-document', 'hangup-leg']],
    ['hung up while ringing', ringing, hangup, 'ringing', ['stop-document', 'hangup-leg']],
    ['hung up twice', canceling, hangup, 'ringing', []],
    ['hung up while talking', talking, hangup, 'in-progress', ['stop-document', 'hangup-leg']],
    ['hung up after the end', over, hangup, 'busy', []],
    ['declined as busy', offered, { type: 'declined', as: 'busy' }, 'ringing', ['hangup-leg:486']],
    ['declined', offered, { type: 'declined', as: 'no-answer' }, 'ringing', ['hangup-leg:603']],
    [
      'declined after the answer',
      talking,
      { type: 'declined', as: 'busy' },
      'in-progress',
      ['stop-document', 'hangup-leg'],
    ],
    [
      'the far end hangs up',
      talking,
      ended('remote-hangup', 200),
      'completed',
      ['stop-document', 'notify:completed', 'finish'],
    ],
    [
      'our BYE is answered',
      leaving,
      ended('local-hangup', 200),
      'completed',
      ['stop-document', 'notify:completed', 'finish'],
    ],
    [
      'our CANCEL worked',
      canceling,
      ended('canceled', 487),
      'canceled',
      ['stop-document', 'notify:completed', 'finish'],
    ],
    ['BYE crossing BYE ends it once', over, ended('remote-hangup', 200), 'busy', []],
  ])('%s', (_title, call, event, status, effects) => {
    const next = step(call, event)
    expect(statusOf(next.state)).toBe(status)
    expect(
      next.effects.map((effect) => {
        if (effect.type === 'notify') return `notify:${effect.event}`
        if (effect.type === 'hangup-leg' && effect.status !== undefined)
          return `hangup-leg:${effect.status}`
        return effect.type
      }),
    ).toEqual(effects)
  })

  it.each<[string, LegEnd['cause'], number, string]>([
    ['we waited for the ACK and said BYE', 'local-hangup', 200, 'completed'],
    ['the ACK never came', 'no-ack', 200, 'completed'],
    ['the caller hung up first', 'remote-hangup', 200, 'completed'],
    ['no 200 had left', 'canceled', 603, 'canceled'],
    ['the far end refused just then', 'rejected', 486, 'canceled'],
    ['the media server went away', 'media-lost', 503, 'canceled'],
    ['drachtio went away', 'signaling-lost', 503, 'canceled'],
  ])('taken back, and %s', (_title, cause, sipStatus, status) => {
    expect(statusOf(step(canceling, ended(cause, sipStatus)).state)).toBe(status)
  })

  it.each<[LegEnd['cause'], number, string]>([
    ['rejected', 486, 'busy'],
    ['rejected', 600, 'busy'],
    ['rejected', 480, 'no-answer'],
    ['rejected', 408, 'no-answer'],
    ['rejected', 487, 'no-answer'],
    ['rejected', 603, 'no-answer'],
    ['rejected', 404, 'failed'],
    ['rejected', 503, 'failed'],
    ['no-answer', 487, 'no-answer'],
    ['unreachable', 408, 'failed'],
    ['media-lost', 500, 'failed'],
    ['signaling-lost', 503, 'failed'],
    ['canceled', 487, 'canceled'],
    ['no-ack', 200, 'completed'],
    ['local-hangup', 200, 'completed'],
    ['remote-hangup', 200, 'completed'],
  ])('an unanswered call that ends as %s %i is %s', (cause, sipStatus, status) => {
    expect(statusOf(step(ringing, ended(cause, sipStatus)).state)).toBe(status)
  })

  it('measures the talk from the answer, not from the dial', () => {
    const { state: call } = step(talking, ended('remote-hangup', 200))
    expect(call).toMatchObject({ state: 'ended', talkedMs: 60_000 })
  })

  it('gives every status from 300 to 699 an end', () => {
    const statuses = Array.from({ length: 400 }, (_, index) => statusOfRejection(300 + index))
    expect(new Set(statuses)).toEqual(new Set(['busy', 'no-answer', 'failed']))
  })

  it('reaches exactly one end, whatever comes, in 2,000 random walks', () => {
    const events: CallEvent[] = [
      { type: 'dial-started', queuedMs: 0 },
      { type: 'progress' },
      answered,
      hangup,
      { type: 'declined', as: 'busy' },
      ended('remote-hangup', 200),
    ]
    let seed = 42
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return seed % below
    }
    for (let walk = 0; walk < 2_000; walk++) {
      let call: Call = walk % 2 === 0 ? queued : offered
      const effects: CallEffect[] = []
      for (let index = 0; index < 12; index++) {
        const event = events[random(events.length)]
        if (event === undefined) continue
        // Whoever was told nothing of a call is told nothing of its end.
        const isSilent =
          call.state === 'queued' && ['hangup-requested', 'declined'].includes(event.type)
        const next = step(call, event)
        call = next.state
        effects.push(...next.effects)
        if (isSilent) effects.push({ type: 'notify', event: 'completed' })
      }
      effects.push(...step(call, ended('remote-hangup', 200)).effects)
      const ends = effects.filter((effect) => effect.type === 'finish').length
      const completions = effects.filter(
        (effect) => effect.type === 'notify' && effect.event === 'completed',
      ).length
      expect(ends, `walk ${walk}`).toBe(1)
      expect(completions, `walk ${walk}`).toBe(1)
    }
  })
})
