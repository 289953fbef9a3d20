import { expect, it } from 'vitest'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { KeyedQueue } from '../../../../src/platform/async/serial-queue.js'

it('runs the tasks of a key in their order, and those of another beside them', async () => {
  const queue = new KeyedQueue()
  const seen: string[] = []
  const held = deferred<undefined>()
  const first = queue.run('one', async () => {
    await held.done
    seen.push('first')
    throw new Error('first')
  })
  const second = queue.run('one', () => Promise.resolve(seen.push('second')))
  await queue.run('other', () => Promise.resolve(seen.push('other')))
  held.resolve(undefined)
  await expect(first).rejects.toThrow('first')
  await second
  expect(seen).toEqual(['other', 'first', 'second'])
})
