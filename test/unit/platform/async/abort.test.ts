import { describe, expect, it } from 'vitest'
import { linkAbort, withAbort } from '../../../../src/platform/async/abort.js'
import { Slots } from '../../../../src/platform/async/slots.js'

describe('linkAbort', () => {
  it('fires with the reason of whichever source is first', () => {
    const [a, b] = [new AbortController(), new AbortController()]
    using link = linkAbort([a.signal, b.signal])
    b.abort(new Error('b'))
    a.abort(new Error('a'))
    expect(link.signal.reason).toMatchObject({ message: 'b' })
    expect(link.isLate).toBe(false)
  })

  it('has fired already when a source has', () => {
    using link = linkAbort([AbortSignal.abort(new Error('gone'))])
    expect(link.signal.aborted).toBe(true)
  })

  it('fires on its own limit and says so', async () => {
    using link = linkAbort([], { ms: 1, reason: () => new Error('late') })
    await expect(withAbort(new Promise(() => undefined), link.signal)).rejects.toThrow('late')
    expect(link.isLate).toBe(true)
  })

  it('lets go of its sources when disposed', () => {
    const source = new AbortController()
    const link = linkAbort([source.signal])
    link[Symbol.dispose]()
    source.abort()
    expect(link.signal.aborted).toBe(false)
  })

  it('aborts alone', () => {
    const source = new AbortController()
    using link = linkAbort([source.signal])
    link.abort(new Error('enough'))
    expect(link.signal.reason).toMatchObject({ message: 'enough' })
    expect(source.signal.aborted).toBe(false)
  })

  it('keeps following its other links when one is disposed', () => {
    const source = new AbortController()
    const [kept, left] = [linkAbort([source.signal]), linkAbort([source.signal])]
    left[Symbol.dispose]()
    source.abort(new Error('enough'))
    expect(kept.signal.reason).toMatchObject({ message: 'enough' })
    expect(left.signal.aborted).toBe(false)
  })
})

describe('slots', () => {
  const never = new AbortController().signal

  it('serves in order, as many as there are', async () => {
    const slots = new Slots(1)
    const order: string[] = []
    const release = await slots.take(never)
    const second = slots.take(never).then((free) => {
      order.push('second')
      free()
    })
    const third = slots.take(never).then((free) => {
      order.push('third')
      free()
    })
    expect(order).toEqual([])
    release()
    await Promise.all([second, third])
    expect(order).toEqual(['second', 'third'])
  })

  it('passes over whoever gave up, so no turn is lost', async () => {
    const slots = new Slots(1)
    const release = await slots.take(never)
    const controller = new AbortController()
    const impatient = slots.take(controller.signal)
    const patient = slots.take(never)
    controller.abort(new Error('enough'))
    await expect(impatient).rejects.toThrow('enough')
    release()
    const free = await patient
    free()
    await expect(slots.take(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  })
})
