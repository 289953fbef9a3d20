import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { pause, sleep } from '../../../../src/platform/async/sleep.js'

const REASON = new Error('enough')

describe('sleep', () => {
  it('ends, and leaves nothing on its signal', async () => {
    const { signal } = new AbortController()
    await sleep(1, signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('rejects with the reason, and leaves nothing either', async () => {
    const aborter = new AbortController()
    const sleeping = sleep(60_000, aborter.signal)
    aborter.abort(REASON)
    await expect(sleeping).rejects.toBe(REASON)
    expect(getEventListeners(aborter.signal, 'abort')).toHaveLength(0)
  })

  it('does not begin on an aborted signal', async () => {
    await expect(sleep(60_000, AbortSignal.abort(REASON))).rejects.toBe(REASON)
  })
})

describe('pause', () => {
  it('ends early, without a failure, when its signal aborts', async () => {
    const aborter = new AbortController()
    const pausing = pause(60_000, aborter.signal)
    aborter.abort(REASON)
    await expect(pausing).resolves.toBeUndefined()
    await expect(pause(60_000, aborter.signal)).resolves.toBeUndefined()
    expect(getEventListeners(aborter.signal, 'abort')).toHaveLength(0)
  })
})
