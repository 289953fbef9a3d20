import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Rounds } from '../../../../src/platform/async/rounds.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Rounds 50 ms apart, and the names of those that went on. */
function setUp() {
  const rounds = new Rounds(50)
  const gone: string[] = []
  const join = async (name: string) => {
    await rounds.join()
    gone.push(name)
  }
  return { rounds, gone, join }
}

describe('rounds', () => {
  it('let a caller after a pause go on at once', async () => {
    const { gone, join } = setUp()
    void join('first')
    await vi.advanceTimersByTimeAsync(0)
    expect(gone).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(50)
    void join('later')
    await vi.advanceTimersByTimeAsync(0)
    expect(gone).toEqual(['first', 'later'])
  })

  it('let those that came since the last round go on together, and others in the next one', async () => {
    const { gone, join } = setUp()
    void join('first')
    await vi.advanceTimersByTimeAsync(10)
    void join('second')
    await vi.advanceTimersByTimeAsync(39)
    void join('third')
    expect(gone).toEqual(['first'])
    await vi.advanceTimersByTimeAsync(1)
    expect(gone).toEqual(['first', 'second', 'third'])
    void join('fourth')
    await vi.advanceTimersByTimeAsync(49)
    expect(gone).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(1)
    expect(gone).toHaveLength(4)
  })

  it('hold nobody once they are disposed, and leave no timer', async () => {
    const { rounds, gone, join } = setUp()
    void join('first')
    void join('waiting')
    rounds[Symbol.dispose]()
    void join('late')
    await vi.advanceTimersByTimeAsync(0)
    expect(new Set(gone)).toEqual(new Set(['first', 'waiting', 'late']))
    expect(vi.getTimerCount()).toBe(0)
  })
})
