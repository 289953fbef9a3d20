import { describe, expect, it } from 'vitest'
import {
  type Load as ChannelLoad,
  UnderWay,
  type Work,
} from '../../../../../src/platform/under-way.js'
import { OverloadControl } from '../../../../../src/voice/calls/admission/overload-control.js'
import { seeded } from '../../../../support/media/seeded.js'

const LIMIT_MS = 200
const TICK_MS = 50
/** Calls take different times; one run may have many long ones at a bad moment. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9]
/** The part of a call's work that its refusal costs. */
const REFUSAL = 0.05
/** The pieces of the work of a call that is up. */
const UP_PARTS = 10

interface Load {
  /** The calls that come in a second, and those that the server can set up. */
  readonly perSecond: number
  readonly capacity: number
  readonly seconds: number
  /** When calls come; evenly when absent. */
  readonly arrivals?: 'even' | 'random'
  /** The part of a call's work that comes once it is set up, until it is answered; none when absent. */
  readonly later?: number
  /** The part that comes within the second after that, while the call is up; none when absent. */
  readonly up?: number
}

interface Taken {
  readonly perSecond: number
  readonly refused: number
  readonly p95: number
}

interface SimulatedCall {
  readonly work: Work
  readonly doneAt: number
  /** Tells that it is set up. */
  readonly onSetUp: () => void
}

/** A server that sets up one call after another, and measures as the real one does. */
class SimulatedServer {
  readonly overload = new OverloadControl(LIMIT_MS, () => this.#channels.load(this.#now))
  readonly #random: () => number
  readonly #channels = new UnderWay()
  /** The calls in the order in which they are set up, which is that in which they came. */
  readonly #underWay: SimulatedCall[] = []
  /** The pieces of work of calls that are up, by the millisecond at which they come. */
  readonly #due = new Map<number, number[]>()
  #now = 0
  #freeAt = 0

  constructor(seed = 20) {
    this.#random = seeded(seed)
  }

  /** Keeps the server from its calls for some milliseconds. */
  stall(ms: number): void {
    this.#freeAt = Math.max(this.#freeAt, this.#now) + ms
  }

  /** Offers calls for some seconds. */
  offer({ perSecond, capacity, seconds, arrivals = 'even', later = 0, up = 0 }: Load): Taken {
    const until = this.#now + 1_000 * seconds
    const workMs = 1_000 / capacity
    const waits: number[] = []
    let refused = 0
    let next = this.#now
    for (; this.#now < until; this.#now += 1) {
      this.#finish()
      if (this.#now % TICK_MS === 0) this.overload.tick(this.#now)
      for (; next <= this.#now; next += this.#pauseOf(arrivals) / perSecond) {
        const isRefused = this.overload.refuses(this.#now)
        // Half of the work is always the same.
        const share = isRefused ? REFUSAL : 0.5 - 0.5 * Math.log(1 - this.#random())
        const at = this.#now
        const doneAt = this.#occupy((isRefused ? 1 : 1 - later - up) * share * workMs)
        if (isRefused) refused += 1
        else {
          const onSetUp = () => {
            waits.push(later === 0 ? doneAt - at : this.#occupy(later * share * workMs) - at)
            this.#keepUp(up * share * workMs)
          }
          this.#underWay.push({ work: this.#channels.begin(at), doneAt, onSetUp })
        }
      }
    }
    waits.sort((one, other) => one - other)
    const p95 = waits[Math.floor(0.95 * waits.length)] ?? Number.NaN
    return { perSecond: waits.length / seconds, refused: refused / seconds, p95 }
  }

  /** Spreads work over the second that follows. */
  #keepUp(workMs: number): void {
    if (workMs === 0) return
    for (let part = 1; part <= UP_PARTS; part += 1) {
      const at = this.#now + (1_000 * part) / UP_PARTS
      const pieces = this.#due.get(at) ?? []
      pieces.push(workMs / UP_PARTS)
      this.#due.set(at, pieces)
    }
  }

  /** Gives the server work behind all that it has; reticks the time at which it is done. */
  #occupy(ms: number): number {
    this.#freeAt = Math.max(this.#freeAt, this.#now) + ms
    return this.#freeAt
  }

  /** The milliseconds to the next call at one a second. */
  #pauseOf(arrivals: 'even' | 'random'): number {
    return arrivals === 'even' ? 1_000 : -1_000 * Math.log(1 - this.#random())
  }

  #finish(): void {
    for (let first = this.#underWay[0]; first !== undefined; first = this.#underWay[0]) {
      if (first.doneAt > this.#now) break
      this.#underWay.shift()
      this.#channels.end(first.work, this.#now)
      first.onSetUp()
    }
    for (const ms of this.#due.get(this.#now) ?? []) this.#occupy(ms)
    this.#due.delete(this.#now)
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}

describe.each([20, 30, 55, 150, 300])('a server that can set up %i calls a second', (capacity) => {
  const at = (part: number, seconds: number): Load => ({
    perSecond: part * capacity,
    capacity,
    seconds,
  })

  it('refuses none at half of that', () => {
    const server = new SimulatedServer()
    expect(server.offer(at(0.5, 30))).toMatchObject({ refused: 0 })
    expect(server.overload.perSecond).toBeUndefined()
  })

  it.each([2, 5])('takes calls that wait at most twice as long at %i times', (times) => {
    const runs = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const usual = server.offer(at(0.5, 10))
      server.offer(at(times, 10))
      const { p95, perSecond } = server.offer(at(times, 30))
      return { slower: p95 / usual.p95, perSecond }
    })
    expect(middle(runs.map(({ slower }) => slower))).toBeLessThan(2)
    // It refuses what is too much, and not much more: each refusal costs a twentieth of a call.
    const taken = middle(runs.map(({ perSecond }) => perSecond))
    expect(taken).toBeGreaterThan(times === 2 ? 0.9 * capacity : 0.7 * capacity)
  })

  it('takes all calls again some time after the overload, or after a time of slowness', () => {
    const server = new SimulatedServer()
    server.offer(at(0.5, 10))
    server.offer(at(10, 10))
    server.offer(at(0.5, 30))
    expect(server.offer(at(0.5, 10))).toMatchObject({ refused: 0 })
    server.offer({ perSecond: capacity, capacity: capacity / 5, seconds: 10 })
    server.offer(at(0.5, 60))
    expect(server.offer(at(0.5, 10))).toMatchObject({ refused: 0 })
  })
})

describe.each([55, 100, 150, 300])('a server that can set up %i calls a second', (capacity) => {
  const half = { perSecond: capacity / 2, capacity, seconds: 10 }

  it('notices twice as many calls before many have waited', () => {
    const times = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const usual = server.offer(half)
      const taken = server.offer({ perSecond: 2 * capacity, capacity, seconds: 20 })
      return taken.p95 / usual.p95
    })
    expect(middle(times)).toBeLessThan(2)
  })

  it.each([
    ['until it is answered', { later: 0.6 }, 2],
    ['while it is up', { later: 0.3, up: 0.5 }, 3],
  ])('takes fewer calls where most work of a call comes %s', (_, work, atMost) => {
    const runs = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const usual = server.offer({ ...half, ...work })
      const twice = { perSecond: 2 * capacity, capacity, seconds: 8, ...work }
      server.offer(twice)
      server.offer({ ...twice, perSecond: 1, seconds: 3 })
      const { p95, perSecond } = server.offer(twice)
      return { slower: p95 / usual.p95, perSecond }
    })
    expect(middle(runs.map(({ slower }) => slower))).toBeLessThan(atMost)
    expect(middle(runs.map(({ perSecond }) => perSecond))).toBeGreaterThan(0.8 * capacity)
  })

  it.each([1.15, 1.3])('goes on refusing %d times as many whose work comes later', (times) => {
    const runs = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const work = { later: 0.3, up: 0.5 }
      const usual = server.offer({ ...half, ...work })
      const over = { perSecond: times * capacity, capacity, seconds: 8, ...work }
      server.offer(over)
      const { p95, perSecond } = server.offer(over)
      return { slower: p95 / usual.p95, perSecond }
    })
    expect(middle(runs.map(({ slower }) => slower))).toBeLessThan(2)
    expect(middle(runs.map(({ perSecond }) => perSecond))).toBeGreaterThan(0.8 * capacity)
  })

  it('takes every call again on a machine that has become slower for good', () => {
    const server = new SimulatedServer()
    server.offer(half)
    const slow = { perSecond: capacity / 10, capacity: capacity / 4 }
    server.offer({ ...slow, perSecond: capacity / 2, seconds: 10 })
    server.offer({ ...slow, seconds: 60 })
    expect(server.offer({ ...slow, seconds: 10 })).toMatchObject({ refused: 0 })
  })

  it.each([
    ['is set up at once', 0, 2],
    ['needs more than half of its work once it is set up', 0.6, 2.5],
  ])('notices at once that a little too much comes again, where a call %s', (_, later, atMost) => {
    const times = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const over = { perSecond: 1.15 * capacity, capacity, seconds: 8, later }
      const usual = server.offer({ ...half, later })
      server.offer(over)
      server.offer({ ...over, perSecond: 1 })
      return server.offer(over).p95 / usual.p95
    })
    expect(middle(times)).toBeLessThan(atMost)
  })

  it.each([1.05, 1.2])('refuses little more than what is too much at %d of that', (times) => {
    const runs = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const usual = server.offer(half)
      const over = { perSecond: times * capacity, capacity, seconds: 8 }
      server.offer(over)
      const { p95, refused } = server.offer(over)
      return { slower: p95 / usual.p95, refused: refused / over.perSecond }
    })
    expect(middle(runs.map(({ slower }) => slower))).toBeLessThan(2)
    expect(middle(runs.map(({ refused }) => refused))).toBeLessThan(1 - 1 / times + 0.12)
  })

  it('refuses no longer than it takes to catch up after a long stall', () => {
    const refused = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      server.offer(half)
      server.stall(500)
      return server.offer(half).refused * half.seconds
    })
    // A second of calls at half.
    expect(middle(refused)).toBeLessThan(half.perSecond)
  })

  it('takes a short stall for no overload', () => {
    const refused = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      server.offer(half)
      server.stall(200)
      return server.offer(half).refused
    })
    expect(refused).toEqual(SEEDS.map(() => 0))
  })
})

describe('a server that can set up 150 calls a second', () => {
  /** 72 calls within 0.4 s: the last of them waits about 80 ms. */
  const burst = { perSecond: 180, capacity: 150, seconds: 0.4 }
  const quiet = { perSecond: 2, capacity: 150, seconds: 5 }

  it.each([1, 6])('takes %i bursts that it can carry within the limit', (bursts) => {
    const refused = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const offered = Array.from({ length: bursts }, () => {
        const before = server.offer(quiet)
        return [before, server.offer(burst)]
      })
      return offered.flat().reduce((sum, taken) => sum + taken.refused, 0)
    })
    expect(refused).toEqual(SEEDS.map(() => 0))
  })
})

describe.each([55, 100, 300])('a server that can set up %i calls a second', (capacity) => {
  const random = (part: number, seconds: number): Load => ({
    perSecond: part * capacity,
    capacity,
    seconds,
    arrivals: 'random',
  })
  /** How many of 100 calls are refused. */
  const refusedOf = ({ perSecond, refused }: Taken) => (100 * refused) / (perSecond + refused)

  it.each([0.5, 0.7])('takes nearly all calls that come at random, at %d of that', (part) => {
    const runs = SEEDS.map((seed) => refusedOf(new SimulatedServer(seed).offer(random(part, 60))))
    expect(middle(runs)).toBeLessThan(1)
  })

  it('takes nearly all calls when twice as many come as ever, and it can carry them', () => {
    const runs = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      server.offer(random(0.25, 20))
      return refusedOf(server.offer(random(0.5, 10)))
    })
    expect(middle(runs)).toBeLessThan(1)
  })

  it('takes most calls while other work of the machine leaves it little more than they need', () => {
    const runs = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      server.offer(random(0.5, 20))
      return refusedOf(server.offer({ ...random(0.5, 30), capacity: 0.6 * capacity }))
    })
    expect(middle(runs)).toBeLessThan(20)
  })

  it('notices the next overload as soon as the first', () => {
    const runs = SEEDS.map((seed) => {
      const server = new SimulatedServer(seed)
      const twice = { perSecond: 2 * capacity, capacity, seconds: 8 }
      const usual = server.offer({ ...twice, perSecond: 0.5 * capacity })
      server.offer(twice)
      server.offer({ ...twice, perSecond: 1 })
      return server.offer(twice).p95 / usual.p95
    })
    expect(middle(runs)).toBeLessThan(2)
  })
})

it('a server that has become slower for good learns what is usual now', () => {
  let now = 0
  let load: ChannelLoad = { delayMs: 10, underWay: 0, perSecond: 100, done: [] }
  const overload = new OverloadControl(LIMIT_MS, () => load)
  const ticks = (delayMs: number, perSecond: number, count: number): void => {
    for (let tick = 0; tick < count; tick += 1) {
      now += TICK_MS
      load = { delayMs, underWay: 0, perSecond, done: [{ at: now, tookMs: delayMs }] }
      overload.tick(now)
      overload.refuses(now)
    }
  }
  ticks(10, 100, 200)
  expect(overload.perSecond).toBeUndefined()
  ticks(300, 3, 4)
  expect(overload.perSecond).toBeDefined()
  // However few calls there are, each takes 60 ms now.
  ticks(60, 16, 3_000)
  expect(overload.perSecond).toBeUndefined()
})
