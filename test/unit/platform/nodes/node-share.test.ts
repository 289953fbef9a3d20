import { describe, expect, it } from 'vitest'
import { NodeShare } from '../../../../src/platform/nodes/node-share.js'

const NAMES = ['a', 'b', 'c']
const sharesOf = (names: readonly string[]) =>
  names.map((own) => {
    const share = new NodeShare()
    share.note(names, own)
    return share
  })
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

describe('the part of a limit that a node has', () => {
  it('is all of it for one that is alone, or that knows of nobody yet', () => {
    const share = new NodeShare()
    expect([share.ofRate(10), share.ofCount(7)]).toEqual([10, 7])
    share.note([], 'a')
    expect([share.ofRate(10), share.ofCount(7)]).toEqual([10, 7])
  })

  it.each([3, 4, 5, 23, 1_000])('adds up to %i over the nodes', (limit) => {
    const shares = sharesOf(NAMES)
    expect(sum(shares.map((share) => share.ofCount(limit)))).toBe(limit)
    expect(sum(shares.map((share) => share.ofRate(limit)))).toBeCloseTo(limit)
  })

  it('is at least one, and nothing of nothing', () => {
    expect(sharesOf(NAMES).map((share) => share.ofCount(1))).toEqual([1, 1, 1])
    expect(sharesOf(NAMES).map((share) => share.ofCount(0))).toEqual([0, 0, 0])
  })

  it('changes as nodes come and go', () => {
    const share = new NodeShare()
    share.note(['a', 'b'], 'b')
    expect([share.ofCount(5), share.ofRate(5)]).toEqual([2, 2.5])
    share.note(['b'], 'b')
    expect([share.ofCount(5), share.ofRate(5)]).toEqual([5, 5])
  })
})
