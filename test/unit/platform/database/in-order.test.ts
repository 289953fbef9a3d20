import { expect, it } from 'vitest'
import { applyInOrder } from '../../../../src/platform/database/in-order.js'

it('applies work in the order of the names, and answers in the order of the items', async () => {
  const applied: string[] = []
  const results = await applyInOrder(
    ['c', 'a', 'b', 'a'],
    (name) => name,
    (name) => {
      applied.push(name)
      return Promise.resolve(`${name}${applied.length}`)
    },
  )
  expect(applied).toEqual(['a', 'a', 'b', 'c'])
  expect(results).toEqual([
    { item: 'c', result: 'c4' },
    { item: 'a', result: 'a1' },
    { item: 'b', result: 'b3' },
    { item: 'a', result: 'a2' },
  ])
})
