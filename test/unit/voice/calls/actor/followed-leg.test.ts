import { expect, it } from 'vitest'
import { FollowedLeg } from '../../../../../src/voice/calls/actor/followed-leg.js'
import type { Leg, LegEnd, LegEvents } from '../../../../../src/voice/telephony/port.js'

const END: LegEnd = { cause: 'remote-hangup', sipStatus: 200, reason: 'bye' }
// A leg that is not asked for anything.
const LEG = {} as Leg

/** A leg that is followed: `leg` tells its events, `told` is what the follower has heard. */
function followed() {
  const heard: LegEvents[] = []
  const line = new FollowedLeg()
  line.take(
    (events) => {
      heard.push(events)
      return LEG
    },
    { onEnded: () => undefined },
  )
  const told: string[] = []
  const follow = () =>
    line.dial(undefined, undefined, {
      onProgress: () => void told.push('rings'),
      onAnswered: () => void told.push('answered'),
      onEnded: () => void told.push('ended'),
    })
  const [leg] = heard
  if (leg === undefined) throw new Error('the leg was not taken')
  return { leg, told, follow }
}

it('a follower hears once what came before it', async () => {
  const { leg, told, follow } = followed()
  leg.onAnswered?.()
  leg.onEnded(END)
  follow()
  await Promise.resolve()
  expect(told).toEqual(['rings', 'answered', 'ended'])
})

it('a follower hears once what comes at the moment of its dial', async () => {
  const { leg, told, follow } = followed()
  follow()
  leg.onAnswered?.()
  leg.onEnded(END)
  await Promise.resolve()
  expect(told.toSorted()).toEqual(['answered', 'ended', 'rings'])
})
