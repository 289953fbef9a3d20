import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { linkAbort } from '../../../../../src/voice/markup/verbs/link-abort.js'
import { sleep } from '../../../../../src/voice/markup/verbs/sleep.js'

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

describe('linkAbort', () => {
  it('follows its parent until it is disposed', () => {
    const parent = new AbortController()
    const [kept, left] = [linkAbort(parent.signal), linkAbort(parent.signal)]
    left[Symbol.dispose]()
    parent.abort(REASON)
    expect(kept.signal.reason).toBe(REASON)
    expect(left.signal.aborted).toBe(false)
  })

  it('aborts alone', () => {
    const parent = new AbortController()
    using link = linkAbort(parent.signal)
    link.abort(REASON)
    expect(link.signal.reason).toBe(REASON)
    expect(parent.signal.aborted).toBe(false)
  })

  it('of an aborted parent is aborted', () => {
    expect(linkAbort(AbortSignal.abort(REASON)).signal.reason).toBe(REASON)
  })
})
