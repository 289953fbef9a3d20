import { describe, expect, it } from 'vitest'
import { FairQueue } from '../../../../src/platform/async/fair-queue.js'

/** A queue of names such as `a1`: of group `a`, of its member `a1`, with a number at the end. */
function queueOf(...names: string[]) {
  const queue = new FairQueue<string>()
  const push = (name: string) => {
    queue.push(name, { group: name.slice(0, 1), member: name.slice(0, 2) })
  }
  names.forEach(push)
  const rest = () => {
    const taken: string[] = []
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) taken.push(next)
    return taken
  }
  return { queue, push, rest }
}

describe('FairQueue', () => {
  it('serves groups in turn, and the members of each in turn', () => {
    const { rest } = queueOf('a1.1', 'a1.2', 'a1.3', 'a2.1', 'b1.1', 'b1.2')
    expect(rest()).toEqual(['a1.1', 'b1.1', 'a2.1', 'b1.2', 'a1.2', 'a1.3'])
  })

  it('serves a newcomer after no more than one of a busy group', () => {
    const { queue, push } = queueOf('a1.1', 'a2.1', 'a3.1', 'a4.1')
    expect(queue.shift()).toBe('a1.1')
    push('b1.1')
    expect(queue.shift()).toBe('b1.1')
  })

  it('serves who has waited before newcomers that come again and again', () => {
    const { queue, push } = queueOf('a1.1', 'a2.1')
    expect(queue.shift()).toBe('a1.1')
    push('b1.1')
    push('c1.1')
    expect(queue.shift()).toBe('b1.1')
    push('d1.1')
    expect(queue.shift()).toBe('c1.1')
    push('e1.1')
    expect([queue.shift(), queue.shift()]).toContain('a2.1')
  })

  it('gives up what is removed', () => {
    const { queue, rest } = queueOf('a1.1', 'a2.1', 'b1.1')
    queue.remove('a2.1')
    expect(queue.waitingOf('a')).toBe(1)
    expect(rest()).toEqual(['a1.1', 'b1.1'])
  })
})
