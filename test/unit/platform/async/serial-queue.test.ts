import { expect, it } from 'vitest'
import { SerialQueue } from '../../../../src/platform/async/serial-queue.js'

it('runs one after the other, and the next after one that failed', async () => {
  const turns = new SerialQueue()
  const seen: string[] = []
  let release: () => void = () => undefined
  const first = turns.run(async () => {
    seen.push('first began')
    await new Promise<void>((resolve) => {
      release = resolve
    })
    seen.push('first ended')
    throw new Error('first')
  })
  const second = turns.run(() => {
    seen.push('second')
    return Promise.resolve(2)
  })
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(seen).toEqual(['first began'])
  release()
  await expect(first).rejects.toThrow('first')
  expect(await second).toBe(2)
  expect(seen).toEqual(['first began', 'first ended', 'second'])
})
