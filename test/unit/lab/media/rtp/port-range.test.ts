import { expect, it } from 'vitest'
import { PortRange } from '../../../../../src/lab/media/rtp/udp-pair.js'

it.each([
  [4000, 4005, [4000, 4002, 4004]],
  [4001, 4006, [4002, 4004]],
  [4000, 4004, [4000, 4002]],
  [4000, 4000, []],
  [4001, 4001, []],
])('%i to %i', (first, last, ports) => {
  expect([...new PortRange({ first, last }).candidates()]).toEqual(ports)
})

it('takes ports in turn, so that a freed one rests', () => {
  const range = new PortRange({ first: 4000, last: 4005 })
  const take = (): unknown => range.candidates().next().value
  expect(take()).toBe(4000)
  range.giveBack(4000)
  expect([take(), take(), take(), take()]).toEqual([4002, 4004, 4000, undefined])
  range.giveBack(4002)
  expect(take()).toBe(4002)
})
