import { describe, expect, it } from 'vitest'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { endedWithin, withLimit } from '../../../../src/platform/async/limit.js'

const MINUTE_MS = 60_000

describe('withLimit', () => {
  it('is as the work ended, when it ends in time', async () => {
    await expect(withLimit(Promise.resolve('done'), MINUTE_MS, () => 'late')).resolves.toBe('done')
    const failing = withLimit(Promise.reject(new Error('broken')), MINUTE_MS, () => 'late')
    await expect(failing).rejects.toThrow('broken')
  })

  it('is what the limit says, when the work takes longer', async () => {
    await expect(withLimit(deferred<string>().done, 1, () => 'late')).resolves.toBe('late')
    const failing = withLimit(deferred<string>().done, 1, () => {
      throw new Error('too late')
    })
    await expect(failing).rejects.toThrow('too late')
  })
})

describe('endedWithin', () => {
  it('resolves when the work ends, well or not, or when the limit is over', async () => {
    await expect(endedWithin(Promise.resolve(), MINUTE_MS)).resolves.toBeUndefined()
    await expect(endedWithin(Promise.reject(new Error('x')), MINUTE_MS)).resolves.toBeUndefined()
    await expect(endedWithin(deferred().done, 1)).resolves.toBeUndefined()
  })
})
