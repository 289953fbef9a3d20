import { expect, it } from 'vitest'
import { PostBox } from '../../../../src/lab/media/post-box.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('posts the messages of one turn as one, in order', async () => {
  const posted: (readonly string[])[] = []
  const box = new PostBox<string>((messages) => posted.push(messages))
  box.add('a')
  box.add('b')
  expect(posted).toEqual([])
  await turn()
  box.add('c')
  await turn()
  expect(posted).toEqual([['a', 'b'], ['c']])
})

it('posts at once what waits when it must, and nothing twice', async () => {
  const posted: (readonly string[])[] = []
  const box = new PostBox<string>((messages) => posted.push(messages))
  box.add('a')
  box.flush()
  await turn()
  expect(posted).toEqual([['a']])
})
