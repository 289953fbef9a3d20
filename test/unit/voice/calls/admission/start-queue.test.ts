import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StartQueue } from '../../../../../src/voice/calls/admission/start-queue.js'

interface Started {
  readonly sid: string
  readonly atMs: number
  readonly queuedMs: number
}

function setUp(
  room: { calls: number; isQuick?: boolean } = { calls: Infinity },
  partOfRate = (rate: number) => rate,
) {
  const startedAt = Date.now()
  const started: Started[] = []
  const queue = new StartQueue({
    clock: { now: () => Date.now(), monotonic: () => Date.now() - startedAt },
    hasRoom: () => room.calls > 0,
    isQuick: () => room.isQuick ?? true,
    partOfRate,
  })
  const add = (sid: string, accountSid = 'one', perSecond = 10) => {
    const start = (queuedMs: number) => {
      room.calls -= 1
      started.push({ sid, atMs: Date.now() - startedAt, queuedMs })
    }
    queue.add({ sid, accountSid, perSecond, start })
  }
  const sids = () => started.map(({ sid }) => sid)
  return { queue, started, add, sids, room }
}

describe('calls wait for a rate slot', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('[B19] starts ten times the rate in order, loses none, and lets another account pass', async () => {
    const t = setUp()
    const wanted = Array.from({ length: 100 }, (_, index) => `call-${index}`)
    for (const sid of wanted) t.add(sid)
    expect(t.sids()).toEqual(['call-0'])
    t.add('other', 'two')
    expect(t.sids()).toEqual(['call-0', 'other'])
    await vi.advanceTimersByTimeAsync(9_900)
    const ours = t.started.filter(({ sid }) => sid !== 'other')
    expect(ours.map(({ sid }) => sid)).toEqual(wanted)
    for (const [index, { atMs, queuedMs }] of ours.entries()) {
      expect(atMs).toBeGreaterThanOrEqual(index * 100)
      expect(queuedMs).toBe(atMs)
    }
    expect(t.queue.size).toBe(0)
  })

  it('starts at the part of the rate that this node has, as it changes', async () => {
    let nodes = 2
    const t = setUp({ calls: Infinity }, (rate) => rate / nodes)
    for (let index = 0; index < 20; index++) t.add(`call-${index}`)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(t.started).toHaveLength(6)
    nodes = 1
    await vi.advanceTimersByTimeAsync(1_000)
    expect(t.started.length).toBeGreaterThanOrEqual(15)
  })

  it('starts never more in a second than the rate, however uneven they come', async () => {
    const t = setUp()
    for (let burst = 0; burst < 5; burst++) {
      for (let index = 0; index < 20; index++) t.add(`${burst}.${index}`)
      await vi.advanceTimersByTimeAsync(730)
    }
    await vi.advanceTimersByTimeAsync(10_000)
    expect(t.started).toHaveLength(100)
    const times = t.started.map(({ atMs }) => atMs)
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 1_000).length).toBeLessThanOrEqual(10)
  })

  it('closes the gap that a canceled call leaves', async () => {
    const t = setUp()
    for (const sid of ['a', 'b', 'c']) t.add(sid)
    t.queue.remove({ sid: 'b', accountSid: 'one' })
    await vi.advanceTimersByTimeAsync(100)
    expect(t.sids()).toEqual(['a', 'c'])
  })

  it('waits for room, and shares it between accounts', async () => {
    const t = setUp({ calls: 1 })
    for (const sid of ['a', 'b']) t.add(sid, 'one', 1_000)
    for (const sid of ['x', 'y']) t.add(sid, 'two', 1_000)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(t.sids()).toEqual(['a'])
    for (let ended = 0; ended < 3; ended++) {
      t.room.calls = 1
      t.queue.wake()
      await vi.advanceTimersByTimeAsync(10)
    }
    expect([...t.sids()].sort()).toEqual(['a', 'b', 'x', 'y'])
    expect(t.sids().indexOf('x')).toBeLessThan(3)
  })

  it('does not make up for the time without room', async () => {
    const t = setUp({ calls: 0 })
    for (let index = 0; index < 20; index++) t.add(String(index))
    await vi.advanceTimersByTimeAsync(60_000)
    t.room.calls = Infinity
    t.queue.wake()
    expect(t.started.length).toBeLessThanOrEqual(2)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(t.started).toHaveLength(20)
  })

  it('knows how many calls of each account wait', () => {
    const t = setUp()
    for (let index = 0; index <= 150; index++) t.add(String(index))
    expect(t.queue.waitingOf('one')).toBe(150)
    expect(t.queue.waitingOf('two')).toBe(0)
  })

  it('starts few in a tick of the event loop in which more are added, and more in a tick after it', async () => {
    const t = setUp({ calls: 0 })
    for (let call = 0; call < 30; call++) t.add(`one-${call}`, 'one', 1_000_000)
    t.add('two-0', 'two', 1_000_000)
    await vi.advanceTimersByTimeAsync(100)
    t.room.calls = Infinity
    t.add('one-30', 'one', 1_000_000)
    expect(t.sids()).toHaveLength(4)
    t.add('one-31', 'one', 1_000_000)
    expect(t.sids()).toHaveLength(4)
    await vi.advanceTimersByTimeAsync(1)
    expect(t.sids()).toHaveLength(20)
    expect(t.sids().slice(0, 5)).toContain('two-0')
    await vi.advanceTimersByTimeAsync(1)
    expect(t.sids()).toHaveLength(33)
    expect(t.queue.size).toBe(0)
  })

  it('holds calls that would make others wait, for as long as they would', async () => {
    const t = setUp({ calls: Infinity, isQuick: false })
    for (let call = 0; call < 6; call++) t.add(`one-${call}`, 'one', 1_000)
    t.add('two-0', 'two', 1_000)
    await vi.advanceTimersByTimeAsync(200)
    expect(t.sids()).toEqual(['one-0'])
    t.room.isQuick = true
    await vi.advanceTimersByTimeAsync(20)
    expect(t.sids()).toEqual(expect.arrayContaining(['one-5', 'two-0']))
    expect(t.queue.size).toBe(0)
  })

  it('starts four a second all the same: a call that cannot be set up has to fail', async () => {
    const t = setUp({ calls: Infinity, isQuick: false })
    for (let call = 0; call < 20; call++) t.add(`call-${call}`, 'one', 1_000)
    await vi.advanceTimersByTimeAsync(1_100)
    expect(t.sids()).toEqual(['call-0', 'call-1', 'call-2', 'call-3', 'call-4'])
  })

  it('leaves no timer when it closes', () => {
    const t = setUp()
    for (const sid of ['a', 'b']) t.add(sid)
    t.queue.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
