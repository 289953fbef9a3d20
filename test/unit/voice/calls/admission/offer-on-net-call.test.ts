import { expect, it } from 'vitest'
import { OnNetDialer } from '../../../../../src/voice/calls/admission/offer-on-net-call.js'
import type { Leg, LegEnd, LegEvents } from '../../../../../src/voice/telephony/port.js'

const END: LegEnd = { cause: 'remote-hangup', sipStatus: 200, reason: 'bye' }
// A leg that is not asked for anything.
const LEG = {} as Leg

/** A leg of two calls: `leg` are its listeners, `notified` the events that the caller's call received. */
function onNet() {
  const listeners: LegEvents[] = []
  const dialer = new OnNetDialer()
  dialer.accept(
    (events) => {
      listeners.push(events)
      return LEG
    },
    { onEnded: () => undefined },
  )
  const notified: string[] = []
  const dial = () =>
    dialer.dial(undefined, undefined, {
      onProgress: () => void notified.push('rings'),
      onAnswered: () => void notified.push('answered'),
      onEnded: () => void notified.push('ended'),
    })
  const [leg] = listeners
  if (leg === undefined) throw new Error('the leg was not accepted')
  return { leg, notified, dial }
}

it('the caller’s call is notified once of what came before its dial', async () => {
  const { leg, notified, dial } = onNet()
  leg.onAnswered?.()
  leg.onEnded(END)
  dial()
  await Promise.resolve()
  expect(notified).toEqual(['rings', 'answered', 'ended'])
})

it('the caller’s call is notified once of what comes at the moment of its dial', async () => {
  const { leg, notified, dial } = onNet()
  dial()
  leg.onAnswered?.()
  leg.onEnded(END)
  await Promise.resolve()
  expect(notified.toSorted()).toEqual(['answered', 'ended', 'rings'])
})
