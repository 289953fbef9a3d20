import { expect, it } from 'vitest'
import { LoadMeter } from '../../../../../src/voice/telephony/freeswitch/load-meter.js'

const heartbeat = (headers: Readonly<Record<string, string>>) => ({
  getHeader: (name: string) => headers[name] ?? null,
})

it('counts our channels while nothing else is known, each until its first end', () => {
  const meter = new LoadMeter()
  const first = meter.count()
  meter.count()
  first.end()
  first.end()
  expect(meter.load).toEqual({ channels: 1, maxSessions: undefined, idlePercent: undefined })
})

it('counts what others have, and our own from then on', () => {
  const meter = new LoadMeter()
  const first = meter.count()
  meter.receive(
    heartbeat({ 'Session-Count': '30', 'Max-Sessions': '1000', 'Idle-CPU': '71.500000' }),
  )
  const second = meter.count()
  expect(meter.load).toEqual({ channels: 31, maxSessions: 1000, idlePercent: 71.5 })
  first.end()
  second.end()
  expect(meter.load.channels).toBe(29)
})

it('never counts less than our own', () => {
  const meter = new LoadMeter()
  meter.receive(heartbeat({ 'Session-Count': 'x' }))
  meter.count()
  expect(meter.load.channels).toBe(1)
})
