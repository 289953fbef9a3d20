import { expect, it } from 'vitest'
import { accountTooLarge } from '../../../src/account-api/account-api.js'

it.each([
  ['/v2.2/account', { status: 'error', error: { code: 413, message: 'The body is too large' } }],
  ['/v2.1/account/info/', { statusCode: '413', status: 'Error', message: 'The body is too large' }],
  [
    '/v2/numbering/tnOrder/',
    { statusCode: '413', status: 'Error', message: 'The body is too large' },
  ],
  [
    '/v2/iNumbering/tnOrder/',
    { statusCode: '413', status: 'Error', message: 'The body is too large' },
  ],
])('a body beyond the limit of the listener is refused in the shape of %s', async (path, body) => {
  const answer = accountTooLarge(new Request(`http://trunkline.test${path}`))
  expect(answer?.status).toBe(413)
  expect(await answer?.json()).toEqual(body)
})

it.each([
  '/v2/csp/brand',
  '/v2/SipDomains/x',
  '/2010-04-01/Accounts',
  '/v2.20/x',
])('the answer at %s is that of another API', (path) => {
  expect(accountTooLarge(new Request(`http://trunkline.test${path}`))).toBeUndefined()
})
