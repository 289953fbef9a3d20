import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Gathering } from '../../../../src/platform/async/gathering.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A gathering of 50 ms, and the names of those that went on. */
function setUp() {
  const gathering = new Gathering(50)
  const gone: string[] = []
  const join = async (name: string) => {
    await gathering.join()
    gone.push(name)
  }
  return { gathering, gone, join }
}

describe('a gathering', () => {
  it('lets those that came in its time go on together, and others in the next round', async () => {
    const { gone, join } = setUp()
    void join('first')
    await vi.advanceTimersByTimeAsync(49)
    void join('second')
    expect(gone).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(gone).toEqual(['first', 'second'])
    void join('third')
    await vi.advanceTimersByTimeAsync(49)
    expect(gone).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(gone).toHaveLength(3)
  })

  it('holds nobody once it is disposed, and leaves no timer', async () => {
    const { gathering, gone, join } = setUp()
    void join('waiting')
    gathering[Symbol.dispose]()
    void join('late')
    await vi.advanceTimersByTimeAsync(0)
    expect(gone).toEqual(['waiting', 'late'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
