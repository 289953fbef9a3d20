import { expect, it } from 'vitest'
import { registryTooLarge } from '../../../src/registry/registry.js'

const at = (path: string) => registryTooLarge(new Request(`http://trunkline.test${path}`))

it('a body beyond the limit of the listener is refused as one beyond that of the registry', async () => {
  const answer = at('/v2/csp/brand')
  expect(answer?.status).toBe(400)
  const description = 'the body is larger than 262144 bytes'
  expect(await answer?.json()).toEqual([{ code: 501, description, fields: ['body'] }])
})

it.each([
  '/v2/numbering/tnOrder/',
  '/v2.2/account',
  '/2010-04-01/Accounts',
])('the answer at %s is that of another API', (path) => {
  expect(at(path)).toBeUndefined()
})
