import { expect, it } from 'vitest'
import { LoadMeter } from '../../../../../src/voice/telephony/freeswitch/load-meter.js'

const heartbeat = (headers: Readonly<Record<string, string>>) => ({
  getHeader: (name: string) => headers[name] ?? null,
})

it('counts our channels while nothing else is known', () => {
  const meter = new LoadMeter()
  meter.begun()
  meter.begun()
  meter.ended()
  expect(meter.load).toEqual({ channels: 1, maxSessions: undefined, idlePercent: undefined })
})

it('counts what others have, and our own from then on', () => {
  const meter = new LoadMeter()
  meter.begun()
  meter.heard(heartbeat({ 'Session-Count': '30', 'Max-Sessions': '1000', 'Idle-CPU': '71.500000' }))
  meter.begun()
  expect(meter.load).toEqual({ channels: 31, maxSessions: 1000, idlePercent: 71.5 })
  meter.ended()
  meter.ended()
  expect(meter.load.channels).toBe(29)
})

it('never counts less than our own', () => {
  const meter = new LoadMeter()
  meter.heard(heartbeat({ 'Session-Count': 'x' }))
  meter.begun()
  expect(meter.load.channels).toBe(1)
})
