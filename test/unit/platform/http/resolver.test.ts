import { describe, expect, it } from 'vitest'
import { withAbort } from '../../../../src/platform/async/abort.js'
import { createResolver } from '../../../../src/platform/http/resolver.js'

const soon = (): AbortSignal => AbortSignal.timeout(10_000)

describe('resolver', () => {
  it.each(['127.0.0.1', '::1', '::ffff:1.2.3.4'])('takes the address %s as it is', async (text) => {
    expect(await createResolver()(text, soon())).toEqual([text])
  })

  it.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
  ])('knows %s from the hosts file', async (name) => {
    expect(await createResolver()(name, soon())).toContain('127.0.0.1')
  })

  it('gives up with its signal, whatever the name server does', async () => {
    const controller = new AbortController()
    const asked = createResolver()('nobody.invalid', controller.signal)
    controller.abort(new Error('enough'))
    await expect(withAbort(asked, controller.signal)).rejects.toThrow('enough')
    await expect(asked).rejects.toThrow()
  })

  it('fails on a name that nobody knows', async () => {
    const asked = createResolver()('trunkline-test-nobody', soon())
    await expect(asked).rejects.toThrow()
  })
})
