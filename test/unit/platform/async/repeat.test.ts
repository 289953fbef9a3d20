import { describe, expect, it, vi } from 'vitest'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { repeat } from '../../../../src/platform/async/repeat.js'

describe('repeated work', () => {
  it('that fails is logged, and done again', async () => {
    const failures: unknown[] = []
    const twice = deferred()
    let count = 0
    await using _work = repeat({
      name: 'test',
      log: { error: (fields: unknown) => void failures.push(fields) },
      everyMs: 1,
      work: () => {
        count += 1
        if (count === 2) twice.resolve()
        return Promise.reject(new Error(`failure ${String(count)}`))
      },
    })
    await twice.done
    await vi.waitFor(() => {
      expect(failures[0]).toEqual({ err: new Error('failure 1'), work: 'test' })
    })
  })

  it('is not joined by more of it, and the disposal waits for it', async () => {
    const begun = deferred()
    const release = deferred()
    let running = 0
    let most = 0
    const work = repeat({
      name: 'test',
      log: { error: () => undefined },
      everyMs: 1,
      work: async () => {
        running += 1
        most = Math.max(most, running)
        begun.resolve()
        await release.done
        running -= 1
      },
    })
    await begun.done
    const closed = work[Symbol.asyncDispose]()
    release.resolve()
    await closed
    expect([running, most]).toEqual([0, 1])
  })
})
