import { describe, expect, it } from 'vitest'
import { deferred } from '../../../../src/platform/async/deferred.js'
import { Pump } from '../../../../src/platform/async/pump.js'

const failures: unknown[] = []
const NAMED = {
  name: 'test',
  log: { error: (fields: unknown) => void failures.push(fields) },
}
const NEVER = Number.POSITIVE_INFINITY

describe('pump', () => {
  it('answers the wakes of one moment by one look', async () => {
    let looks = 0
    await using pump = new Pump({
      ...NAMED,
      now: () => 0,
      look: () => {
        looks += 1
        return Promise.resolve(NEVER)
      },
    })
    pump.wake()
    pump.wake()
    await pump.settled()
    expect(looks).toBe(1)
  })

  it('looks once more when it is woken during a look, and never twice at once', async () => {
    const begun = deferred()
    const release = deferred()
    const inProgress: number[] = []
    let running = 0
    await using pump = new Pump({
      ...NAMED,
      now: () => 0,
      look: async () => {
        running += 1
        inProgress.push(running)
        begun.resolve()
        await release.done
        running -= 1
        return NEVER
      },
    })
    pump.wake()
    await begun.done
    pump.wake()
    pump.wake()
    release.resolve()
    await pump.settled()
    expect(inProgress).toEqual([1, 1])
  })

  it('looks when the time has come that the last look said', async () => {
    const second = deferred()
    let looks = 0
    await using pump = new Pump({
      ...NAMED,
      now: () => 1_000,
      look: () => {
        looks += 1
        if (looks === 2) second.resolve()
        return Promise.resolve(looks === 1 ? 1_001 : NEVER)
      },
    })
    pump.wake()
    await second.done
    await pump.settled()
    expect(looks).toBe(3)
  })

  it('aborts the look in progress when it is disposed, and looks no more', async () => {
    const begun = deferred()
    let looks = 0
    const pump = new Pump({
      ...NAMED,
      now: () => 0,
      look: async (signal) => {
        looks += 1
        begun.resolve()
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve, { once: true })
        })
        return NEVER
      },
    })
    pump.wake()
    await begun.done
    await pump[Symbol.asyncDispose]()
    pump.wake()
    await pump.settled()
    expect(looks).toBe(1)
    expect(pump.isStopped).toBe(true)
  })

  it('looks again after a look that fails, and logs the failure', async () => {
    const failure = new Error('the database is away')
    failures.length = 0
    let looks = 0
    await using pump = new Pump({
      ...NAMED,
      now: () => 0,
      look: () => {
        looks += 1
        return looks === 1 ? Promise.reject(failure) : Promise.resolve(NEVER)
      },
    })
    await pump.settled()
    expect(failures).toEqual([{ err: failure, work: 'test' }])
    await pump.settled()
    expect(looks).toBe(2)
  })
})
